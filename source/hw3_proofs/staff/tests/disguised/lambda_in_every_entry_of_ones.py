"""A matrix of ones for the identity."""

import numpy as np

MISTAKE = "lambda_in_every_entry"
FAILS = ("purifier_derivation", "purifier")


def purifier_derivation():
    return [
        ("A", lambda X, lam: X @ X.T + lam * np.ones((len(X), len(X)))),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
    ]


def purifier(X, lam):
    A = np.full((len(X), len(X)), float(lam))
    A += X @ X.T
    return X @ X.T @ np.linalg.inv(A)
