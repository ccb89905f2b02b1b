"""The square of the mean is d mu^4: the number of coordinates is not squared."""

FAILS = ("variance_derivation", "dot_variance")
NUDGE = "Square the mean of q.k as a whole."
EXPLANATION = "This fits (E[q.k])^2 = d mu^4: the mean has a factor d, which is squared with it."


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: d * (sigma**2 + mu**2) ** 2 + d * (d - 1) * mu**4),
        ("(E[q.k])^2", lambda mu, d: d * mu**4),
        (
            "Var[q.k]",
            lambda mu, sigma, d: d * (sigma**2 + mu**2) ** 2 + d * (d - 1) * mu**4 - d * mu**4,
        ),
    ]


def dot_variance(mu, sigma, d):
    return d * (sigma**2 + mu**2) ** 2 + d * (d - 1) * mu**4 - d * mu**4
