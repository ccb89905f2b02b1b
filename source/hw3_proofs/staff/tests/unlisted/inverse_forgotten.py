"""A itself is multiplied, not its inverse."""

import numpy as np

FAILS = ("purifier",)
WORDS = {"purifier": "makes some direction larger"}


def purifier(X, lam):
    return X @ X.T @ (X @ X.T + lam * np.eye(len(X)))
