"""E[(q.k)^2], without a root."""

import numpy as np

MISTAKE = "scale_d"
FAILS = ("scale",)


def scale(d):
    return np.ones(d) @ np.ones(d)
