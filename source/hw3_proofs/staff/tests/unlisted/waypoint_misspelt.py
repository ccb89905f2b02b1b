"""A waypoint with another name."""

import numpy as np

FAILS = ("purifier_derivation",)
WORDS = {"purifier_derivation": "no waypoint is called 'a'"}


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        ("a", lambda X, lam: X @ X.T + lam * np.eye(len(X))),
    ]
