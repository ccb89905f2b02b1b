"""lam / (s^2 + lam), as if it were what is kept."""

import numpy as np

MISTAKE = "complement_of_the_factor"
FAILS = ("svd_derivation", "purifier_from_svd")


def svd_derivation():
    return [
        ("eigenvalues of the purifier", lambda s, lam: lam / (lam + s**2)),
        ("eigenvalues of A^-1", lambda s, lam: 1 / (lam + s**2)),
        ("eigenvalues of X X^T", lambda s: s * s),
    ]


def purifier_from_svd(U, s, lam):
    thin = U[:, : s.shape[0]]
    return thin @ np.diag(lam / (lam + s**2)) @ thin.T
