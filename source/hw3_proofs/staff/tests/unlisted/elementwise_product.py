"""* in place of @."""

import numpy as np

FAILS = ("purifier",)
WORDS = {"purifier": "makes some direction larger|turns some direction"}


def purifier(X, lam):
    gram = X @ X.T
    return gram * np.linalg.inv(gram + lam * np.eye(len(gram)))
