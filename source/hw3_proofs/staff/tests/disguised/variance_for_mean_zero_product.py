"""A product of variances."""

MISTAKE = "variance_for_mean_zero"
FAILS = ("variance_derivation", "dot_variance")


def variance_derivation():
    return [
        lambda q, k, mu: (((q - mu) * (k - mu)) ** 2).sum(axis=1),
        ("(E[q.k])^2", lambda mu, d: (mu * mu * d) ** 2),
        ("Var[q.k]", lambda sigma, d: sigma**2 * sigma**2 * d),
        ("E[(q.k)^2]", lambda mu, sigma, d: sigma**2 * sigma**2 * d + (mu * mu * d) ** 2),
    ]


def dot_variance(mu, sigma, d):
    return (sigma**2) ** 2 * d
