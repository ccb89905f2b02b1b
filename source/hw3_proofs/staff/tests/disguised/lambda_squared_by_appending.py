"""lam I, not its root, is appended to the data."""

import numpy as np

MISTAKE = "lambda_squared"
FAILS = ("purifier", "purifier_from_svd")


def purifier(X, lam):
    longer = np.hstack([X, lam * np.eye(len(X))])
    return np.linalg.solve(longer @ longer.T, X @ X.T).T


def purifier_from_svd(U, s, lam):
    W = np.zeros((len(U), len(U)))
    for i, x in enumerate(s):
        W += (x / np.hypot(x, lam)) ** 2 * np.outer(U[:, i], U[:, i])
    return W
