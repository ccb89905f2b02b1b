"""A generator of its own, which begins with the same seed each time."""

import numpy as np

FAILS = ("sample_frequencies",)
WORDS = {"sample_frequencies": "draw from `rng`"}


def sample_frequencies(D_random, D, sigma, rng):
    return np.random.default_rng(0).normal(size=(D_random, D)) / sigma
