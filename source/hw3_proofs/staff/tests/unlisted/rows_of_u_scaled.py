"""Rows of U are scaled, not its columns."""

import numpy as np

FAILS = ("purifier_from_svd",)
WORDS = {"purifier_from_svd": "not symmetric|numbers are off"}


def purifier_from_svd(U, s, lam):
    factors = np.zeros(len(U))
    factors[: len(s)] = s**2 / (s**2 + lam)
    return U.T @ np.diag(factors[: len(U)]) @ U if U.shape[0] == U.shape[1] else U @ U.T
