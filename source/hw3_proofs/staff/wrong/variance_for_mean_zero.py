"""The variance is that for mean 0."""

FAILS = ("variance_derivation", "dot_variance")
NUDGE = "Try sigma = 1 and mu = 100: which part of q_i k_i varies most?"
EXPLANATION = "This fits the variance for mu = 0. A mean makes the score vary more: a coordinate's deviation is multiplied by the other one's mean."


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: d * sigma**4 + (d * mu**2) ** 2),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) ** 2),
        ("Var[q.k]", lambda mu, sigma, d: d * sigma**4),
    ]


def dot_variance(mu, sigma, d):
    return d * sigma**4
