"""The strong sensor's squares."""

import numpy as np

FAILS = ("purification_threshold",)
WORDS = {"purification_threshold": "objective of .* smaller"}


def purification_threshold():
    return float(np.sum(np.array([-2.17, 1.98, 2.41, -2.03]) ** 2))
