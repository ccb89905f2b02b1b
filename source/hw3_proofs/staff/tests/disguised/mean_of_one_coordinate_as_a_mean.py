"""A mean over the coordinates for their sum."""

import numpy as np

MISTAKE = "mean_of_one_coordinate"
FAILS = ("dot_mean",)


def dot_mean(mu, sigma, d):
    return np.mean(np.full(d, mu) * np.full(d, mu))
