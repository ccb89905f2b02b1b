"""One sigma^2 for each coordinate, summed."""

MISTAKE = "variance_d_sigma_squared"
FAILS = ("variance_derivation", "dot_variance")


def variance_derivation():
    return [
        ("Var[q.k]", lambda sigma, d: sum([sigma**2] * d)),
        ("(E[q.k])^2", lambda mu, d: d**2 * mu**4),
        lambda sigma, mu, d: sum([sigma**2] * d),
        ("E[(q.k)^2]", lambda mu, sigma, d: sum([sigma**2] * d) + d**2 * mu**4),
    ]


def dot_variance(mu, sigma, d):
    return sum([sigma**2] * d)
