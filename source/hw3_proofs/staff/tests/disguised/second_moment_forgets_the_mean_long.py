"""The same, never simplified."""

MISTAKE = "second_moment_forgets_the_mean"
FAILS = ("variance_derivation", "dot_variance")


def variance_derivation():
    def diagonal(sigma, d):
        return d * sigma**2 * sigma**2

    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: diagonal(sigma, d) + (d**2 - d) * mu**4),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) ** 2),
        (
            "Var[q.k]",
            lambda mu, sigma, d: diagonal(sigma, d) + (d**2 - d) * mu**4 - (d * mu**2) ** 2,
        ),
    ]


def dot_variance(mu, sigma, d):
    return d * sigma**4 + (d**2 - d) * mu**4 - (d * mu**2) ** 2
