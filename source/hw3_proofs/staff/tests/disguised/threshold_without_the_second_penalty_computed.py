"""The same number, computed."""

import numpy as np

MISTAKE = "threshold_without_the_second_penalty"
FAILS = ("purification_threshold",)


def purification_threshold():
    return np.sum(np.array([0.02, -0.01, 0.01, -0.02]) ** 2) / 2
