"""The same halves, from the other side."""

import numpy as np

MISTAKE = "gradient_without_its_two"
FAILS = ("purifier_derivation", "purifier")


def purifier_derivation():
    return [
        ("A", lambda X, lam: np.dot(X, X.T) + np.diag(np.full(len(X), lam / 2))),
        ("gradient of the regularisation loss", lambda W, lam: W * lam),
        lambda X, W, lam: (2 * W @ X @ X.T + lam * W, 2 * X @ X.T),
        ("gradient of the reconstruction loss", lambda X, W: 2 * (W @ X @ X.T - X @ X.T)),
    ]


def purifier(X, lam):
    gram = X @ X.T
    return np.linalg.solve(2 * gram + lam * np.eye(len(X)), 2 * gram).T
