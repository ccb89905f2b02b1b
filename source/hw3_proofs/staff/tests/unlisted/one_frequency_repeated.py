"""One row, again and again."""

import numpy as np

FAILS = ("sample_frequencies",)
WORDS = {"sample_frequencies": "frequencies are equal"}


def sample_frequencies(D_random, D, sigma, rng):
    return np.tile(rng.normal(size=D) / sigma, (D_random, 1))
