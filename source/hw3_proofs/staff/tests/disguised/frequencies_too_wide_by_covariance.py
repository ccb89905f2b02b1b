"""A covariance matrix, printed as in the paper."""

import numpy as np

MISTAKE = "frequencies_too_wide"
FAILS = ("sample_frequencies",)


def sample_frequencies(D_random, D, sigma, rng):
    return rng.multivariate_normal(np.zeros(D), sigma**2 * np.eye(D), size=D_random)
