"""The square of the sum is taken to be the sum of the squares."""

FAILS = ("variance_derivation", "dot_variance")
NUDGE = "How many terms are there in the square of a sum of d terms?"
EXPLANATION = (
    "This fits a square without its mixed terms i != j. Their expectation is not 0 when mu is not."
)


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: d * (sigma**2 + mu**2) ** 2),
        ("(E[q.k])^2", lambda mu, d: d**2 * mu**4),
        ("Var[q.k]", lambda mu, sigma, d: d * (sigma**2 + mu**2) ** 2 - d**2 * mu**4),
    ]


def dot_variance(mu, sigma, d):
    return d * (sigma**2 + mu**2) ** 2 - d**2 * mu**4
