"""lam is squared, as if it were a singular value itself."""

import numpy as np

FAILS = ("purifier", "purifier_from_svd")
NUDGE = "Take a single sensor: which equation for the one number W does the gradient give?"
EXPLANATION = (
    "This fits lambda squared. In L, lambda multiplies a squared norm and is no square itself."
)


def purifier(X, lam):
    return X @ X.T @ np.linalg.inv(X @ X.T + lam**2 * np.eye(len(X)))


def purifier_from_svd(U, s, lam):
    U = U[:, : len(s)]
    return U * (s**2 / (s**2 + lam**2)) @ U.T
