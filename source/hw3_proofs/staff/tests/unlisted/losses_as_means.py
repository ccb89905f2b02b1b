"""Means over the entries, not sums."""

import numpy as np

FAILS = ("purification_losses",)
WORDS = {"purification_losses": "Wrong: reg_I, rec_P, reg_P"}


def purification_losses(lam):
    X = np.array([[-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02]])
    P = np.diag([1, 0])
    return 0.0, lam * np.mean(np.eye(2) ** 2), np.mean((X - P @ X) ** 2), lam * np.mean(P**2)
