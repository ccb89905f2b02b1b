"""U is taken to have as many columns as there are singular values."""

import numpy as np

FAILS = ("purifier_from_svd",)
NUDGE = "Try data with more sensors than measurements, and a square U."
EXPLANATION = "This works only where U has as many columns as there are singular values. A square U of tall data has more: the data has nothing in those directions."


def purifier_from_svd(U, s, lam):
    return U @ np.diag(s**2 / (s**2 + lam)) @ U.T
