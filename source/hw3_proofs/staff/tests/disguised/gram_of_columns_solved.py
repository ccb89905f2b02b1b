"""A linear system with X^T X, whose solution commutes with it."""

import numpy as np

MISTAKE = "gram_of_columns"
FAILS = ("purifier",)


def purifier(X, lam):
    n = X.shape[1]
    return np.linalg.solve(np.einsum("ai,aj->ij", X, X) + lam * np.identity(n), X.T @ X)
