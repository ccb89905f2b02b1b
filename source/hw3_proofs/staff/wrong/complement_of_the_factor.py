"""What is removed of each direction is given, in place of what is kept."""

FAILS = ("svd_derivation", "purifier_from_svd")
NUDGE = "Should the factor of a strong direction be near 1 or near 0?"
EXPLANATION = "This fits 1 minus the right factors: they say what is removed of each direction, not what is kept."
EDITS = {"return U * (s**2 / (s**2 + lam))": "return U * (1 - s**2 / (s**2 + lam))"}


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: s**2),
        ("eigenvalues of A^-1", lambda s, lam: 1 / (s**2 + lam)),
        ("eigenvalues of the purifier", lambda s, lam: 1 - s**2 / (s**2 + lam)),
    ]
