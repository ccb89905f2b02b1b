"""The gradient of the regularisation loss lacks its factor 2, and the other one does not."""

import numpy as np

FAILS = ("purifier_derivation", "purifier")
NUDGE = "Differentiate both losses for a W with one entry, and compare the numbers in front."
EXPLANATION = "This fits a gradient of lambda ||W||^2 without its factor 2. Both losses are squares, so the factor is in both gradients, and cancels."


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: lam * W),
        lambda X, W, lam: (-2 * (X - W @ X) @ X.T + lam * W, 0),
        ("A", lambda X, lam: X @ X.T + lam / 2 * np.eye(len(X))),
    ]


def purifier(X, lam):
    return X @ X.T @ np.linalg.inv(X @ X.T + lam / 2 * np.eye(len(X)))
