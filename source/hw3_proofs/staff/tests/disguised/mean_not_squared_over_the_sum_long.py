"""The mean's factor d is left as it is."""

MISTAKE = "mean_not_squared_over_the_sum"
FAILS = ("variance_derivation", "dot_variance")


def variance_derivation():
    return [
        ("(E[q.k])^2", lambda mu, d: d * (mu**2) ** 2),
        ("E[(q.k)^2]", lambda mu, sigma, d: d * (mu**2 + sigma**2) ** 2 + (d * d - d) * mu**4),
        (
            "Var[q.k]",
            lambda mu, sigma, d: (
                d * (mu**2 + sigma**2) ** 2 + (d * d - d) * mu**4 - d * (mu**2) ** 2
            ),
        ),
    ]


def dot_variance(mu, sigma, d):
    return d * (sigma**4 + 2 * mu**2 * sigma**2) + d * (d - 1) * mu**4
