"""The largest singular value for the Frobenius norm."""

import numpy as np

MISTAKE = "identity_counted_once"
FAILS = ("purification_losses",)


def purification_losses(lam):
    rec_P = (np.array([0.02, -0.01, 0.01, -0.02]) ** 2).sum()
    regularisation = lam * np.linalg.norm(np.eye(2), 2) ** 2
    return np.array([0, regularisation, rec_P, regularisation])
