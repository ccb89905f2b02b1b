"""Multiplied out, with signs that do not belong."""

import numpy as np

MISTAKE = "gradient_with_the_wrong_sign"
FAILS = ("purifier_derivation",)


def purifier_derivation():
    return [
        ("A", lambda X, lam: lam * np.eye(len(X)) + X @ X.T),
        ("gradient of the reconstruction loss", lambda X, W: 2 * X @ X.T - 2 * W @ X @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: lam * 2 * W),
    ]
