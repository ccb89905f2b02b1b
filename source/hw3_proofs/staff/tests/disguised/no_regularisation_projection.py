"""A projection onto the data."""

import numpy as np

MISTAKE = "no_regularisation"
FAILS = ("purifier", "purifier_from_svd")


def purifier(X, lam):
    return X @ np.linalg.pinv(X)


def purifier_from_svd(U, s, lam):
    thin = U[:, : s.size]
    return thin @ np.diag(s / s) @ thin.T
