"""X^T X, the products of measurements, instead of X X^T, those of sensors."""

import numpy as np

FAILS = ("purifier",)
NUDGE = "What is the shape of the matrix that W is multiplied by, and what is the shape of yours?"
EXPLANATION = "This fits X^T X where X X^T belongs. W acts on sensors, so the products are those of rows of X."


def purifier(X, lam):
    gram = X.T @ X
    return gram @ np.linalg.inv(gram + lam * np.eye(len(gram)))
