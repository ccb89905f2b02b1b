"""E[q_i^2] is taken to be sigma^2, whatever the mean is."""

FAILS = ("variance_derivation", "dot_variance")
NUDGE = "What is E[q_i^2] when sigma is 0?"
EXPLANATION = "This fits E[q_i^2] = sigma^2, which holds for mean 0 only."


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: d * sigma**4 + d * (d - 1) * mu**4),
        ("(E[q.k])^2", lambda mu, d: d**2 * mu**4),
        ("Var[q.k]", lambda mu, sigma, d: d * (sigma**4 - mu**4)),
    ]


def dot_variance(mu, sigma, d):
    return d * (sigma**4 - mu**4)
