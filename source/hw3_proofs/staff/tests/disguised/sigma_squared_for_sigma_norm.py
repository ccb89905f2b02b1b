"""The length of a vector of ones."""

import numpy as np

MISTAKE = "sigma_squared_for_sigma"
FAILS = ("gaussian_sigma",)


def gaussian_sigma(D):
    return np.linalg.norm(np.ones(D))
