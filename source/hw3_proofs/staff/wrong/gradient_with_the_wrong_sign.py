"""The inner derivative of X - W X, which is negative, is forgotten."""

import numpy as np

FAILS = ("purifier_derivation",)
NUDGE = "If W grows a little, does X - W X grow or shrink?"
EXPLANATION = "This fits a gradient of the reconstruction loss with the wrong sign: W has a minus in front of it inside the norm."


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: 2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        lambda X, W, lam: (2 * (X - W @ X) @ X.T, 2 * lam * W),
        ("A", lambda X, lam: X @ X.T + lam * np.eye(len(X))),
    ]
