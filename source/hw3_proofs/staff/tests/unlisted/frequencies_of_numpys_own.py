"""np.random, not rng."""

import numpy as np

FAILS = ("sample_frequencies",)
WORDS = {"sample_frequencies": "draw from `rng` alone"}


def sample_frequencies(D_random, D, sigma, rng):
    return np.random.normal(size=(D_random, D)) / sigma
