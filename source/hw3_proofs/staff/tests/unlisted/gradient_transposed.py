"""The gradient's factors are in the other order, and shapes do not fit."""

import numpy as np

FAILS = ("purifier_derivation",)
WORDS = {"purifier_derivation": "gradient of the reconstruction loss`: line 1"}


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * X.T @ (X - W @ X)),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        ("A", lambda X, lam: X @ X.T + lam * np.eye(len(X))),
    ]
