"""The variance of a product is taken to be the variance of one of its factors."""

FAILS = ("variance_derivation", "dot_variance")
NUDGE = "If q and k are both measured in metres, what is the unit of Var[q.k]?"
EXPLANATION = "This fits d sigma^2. A variance of products of two coordinates has four factors of the coordinates' unit; this has two."


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: d * sigma**2 + (d * mu**2) ** 2),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) ** 2),
        ("Var[q.k]", lambda mu, sigma, d: d * sigma**2),
    ]


def dot_variance(mu, sigma, d):
    return d * sigma**2
