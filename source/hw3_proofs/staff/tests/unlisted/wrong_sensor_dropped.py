"""diag(0, 1), which drops the strong sensor."""

import numpy as np

FAILS = ("purification_losses",)
WORDS = {"purification_losses": r"Wrong: rec_P\."}


def purification_losses(lam):
    return 0, 2 * lam, np.sum(np.array([-2.17, 1.98, 2.41, -2.03]) ** 2), lam
