"""Both ends computed, the upper one for s = 10."""

import numpy as np

MISTAKE = "interval_from_the_largest"
FAILS = ("lambda_interval",)


def lambda_interval():
    s = np.array([10, 8, 4, 1, 0.5, 0.36, 0.16, 0.01])
    return np.array([(s[3:] ** 2).max(), (s[:3] ** 2 * 0.25).max()])
