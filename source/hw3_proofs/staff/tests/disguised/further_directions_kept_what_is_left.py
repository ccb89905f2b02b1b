"""The identity, less what is removed of each direction."""

import numpy as np

MISTAKE = "further_directions_kept"
FAILS = ("purifier_from_svd",)


def purifier_from_svd(U, s, lam):
    W = U @ U.T
    for i, x in enumerate(s):
        W = W - lam / (x**2 + lam) * np.outer(U[:, i], U[:, i])
    return W
