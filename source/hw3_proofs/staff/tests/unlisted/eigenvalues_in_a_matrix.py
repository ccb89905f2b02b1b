"""Diagonal matrices for their diagonals."""

import numpy as np

FAILS = ("svd_derivation",)
WORDS = {"svd_derivation": r"has shape \(\d, \d\) where \(\d,\) belongs"}


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: np.diag(s**2)),
        ("eigenvalues of A^-1", lambda s, lam: np.diag(1 / (s**2 + lam))),
        ("eigenvalues of the purifier", lambda s, lam: np.diag(s**2 / (s**2 + lam))),
    ]
