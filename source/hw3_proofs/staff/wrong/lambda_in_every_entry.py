"""lam is added to every entry of X X^T, not to its diagonal."""

import numpy as np

FAILS = ("purifier_derivation", "purifier")
NUDGE = "Which matrix M has W M = lambda W, for every W?"
EXPLANATION = "This fits lambda added to all entries of X X^T: in numpy, a matrix plus a number does that. Here you need a multiple of the identity."


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        lambda X, W, lam: (W @ X @ X.T + lam * W, X @ X.T),
        ("A", lambda X, lam: X @ X.T + lam),
    ]


def purifier(X, lam):
    return X @ X.T @ np.linalg.inv(X @ X.T + lam)
