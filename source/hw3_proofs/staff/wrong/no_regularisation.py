"""The regularisation is left out, so that all data is reproduced."""

import numpy as np

FAILS = ("purifier", "purifier_from_svd")
NUDGE = "What should become of your matrix when lambda is very large?"
EXPLANATION = (
    "This fits lambda = 0: your matrix reproduces the data, and does not depend on lambda."
)


def purifier(X, lam):
    return X @ X.T @ np.linalg.pinv(X @ X.T)


def purifier_from_svd(U, s, lam):
    U = U[:, : len(s)]
    return U @ U.T
