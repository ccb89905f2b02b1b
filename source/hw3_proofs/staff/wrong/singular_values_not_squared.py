"""The singular values of X are taken for the eigenvalues of X X^T."""

FAILS = ("svd_derivation", "purifier_from_svd")
NUDGE = "Put X = U S V^T into X X^T. How often does S appear?"
EXPLANATION = "This fits s where s^2 belongs: X X^T has each singular value as a square."
EDITS = {"return U * (s**2 / (s**2 + lam))": "return U * (s / (s + lam))"}


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: s),
        ("eigenvalues of A^-1", lambda s, lam: 1 / (s + lam)),
        ("eigenvalues of the purifier", lambda s, lam: s / (s + lam)),
        lambda U, s, lam: U * (s / (s + lam)) @ U.T,
    ]
