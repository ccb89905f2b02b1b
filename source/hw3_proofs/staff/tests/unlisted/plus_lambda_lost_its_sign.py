"""lam is subtracted from the diagonal."""

import numpy as np

FAILS = ("purifier_derivation", "purifier")
WORDS = {"purifier_derivation": "`A`: line 3 is not right", "purifier": "direction"}


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        ("A", lambda X, lam: X @ X.T - lam * np.eye(len(X))),
    ]


def purifier(X, lam):
    return X @ X.T @ np.linalg.inv(X @ X.T - lam * np.eye(len(X)))
