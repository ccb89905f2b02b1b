"""X^T X, the products of measurements, in place of X X^T, those of sensors."""

import numpy as np

FAILS = ("purifier",)
NUDGE = "Which shape has the matrix that W is multiplied by, and which shape has yours?"
EXPLANATION = "This fits X^T X where X X^T belongs. W acts on sensors, so the products are those of rows of X."


def purifier(X, lam):
    gram = X.T @ X
    return gram @ np.linalg.inv(gram + lam * np.eye(len(gram)))
