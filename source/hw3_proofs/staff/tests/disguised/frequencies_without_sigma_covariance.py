"""The identity for a covariance."""

import numpy as np

MISTAKE = "frequencies_without_sigma"
FAILS = ("sample_frequencies",)


def sample_frequencies(D_random, D, sigma, rng):
    return rng.multivariate_normal(np.zeros(D), np.eye(D), size=D_random)
