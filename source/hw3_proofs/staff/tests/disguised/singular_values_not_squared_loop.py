"""A loop over directions, with s for its square."""

import numpy as np

MISTAKE = "singular_values_not_squared"
FAILS = ("svd_derivation", "purifier_from_svd")


def svd_derivation():
    def inverse(s, lam):
        return np.array([1 / (lam + x) for x in s])

    return [
        ("eigenvalues of A^-1", inverse),
        ("eigenvalues of the purifier", lambda s, lam: s * inverse(s, lam)),
        ("eigenvalues of X X^T", lambda s: abs(s)),
    ]


def purifier_from_svd(U, s, lam):
    return sum(x / (x + lam) * np.outer(u, u) for x, u in zip(s, U.T))
