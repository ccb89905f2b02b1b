"""Directions without a singular value are kept as they are."""

import numpy as np

FAILS = ("purifier_from_svd",)
NUDGE = "What is the singular value of a direction that has no data?"
EXPLANATION = "This fits a factor of 1 for the columns of U that have no singular value. Theirs is 0, and so is their factor."


def purifier_from_svd(U, s, lam):
    factors = np.ones(U.shape[1])
    factors[: len(s)] = s**2 / (s**2 + lam)
    return U * factors @ U.T
