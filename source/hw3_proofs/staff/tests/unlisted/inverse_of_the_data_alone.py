"""X X^T is inverted, and lam I added afterwards."""

import numpy as np

FAILS = ("purifier",)
WORDS = {"purifier": "makes some direction larger|numbers are off"}


def purifier(X, lam):
    return X @ X.T @ np.linalg.pinv(X @ X.T) + lam * np.eye(len(X))
