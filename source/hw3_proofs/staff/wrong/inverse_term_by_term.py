"""The inverse of a sum is taken to be the sum of the inverses."""

FAILS = ("svd_derivation", "purifier_from_svd")
NUDGE = "What is 1 / (1 + 1)?"
EXPLANATION = "This fits 1/s^2 + 1/lambda for the inverse of s^2 + lambda. A sum is not inverted term by term."
EDITS = {"return U * (s**2 / (s**2 + lam))": "return U * (s**2 * (1 / s**2 + 1 / lam))"}


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: s**2),
        ("eigenvalues of A^-1", lambda s, lam: 1 / s**2 + 1 / lam),
        ("eigenvalues of the purifier", lambda s, lam: s**2 * (1 / s**2 + 1 / lam)),
    ]
