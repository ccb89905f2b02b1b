"""The purifier's factors are s^2 + lam in the denominator of s."""

FAILS = ("purifier_from_svd",)
WORDS = {"purifier_from_svd": "numbers are off"}


def purifier_from_svd(U, s, lam):
    U = U[:, : len(s)]
    return U * (s / (s**2 + lam)) @ U.T
