"""Uniform frequencies of the right variance."""

FAILS = ("sample_frequencies",)
WORDS = {"sample_frequencies": "standard errors"}


def sample_frequencies(D_random, D, sigma, rng):
    return rng.uniform(-1, 1, size=(D_random, D)) * 3**0.5 / sigma
