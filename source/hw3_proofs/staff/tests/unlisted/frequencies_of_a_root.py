"""Divided by the root of sigma."""

FAILS = ("sample_frequencies",)
WORDS = {"sample_frequencies": "too (wide|narrow)"}


def sample_frequencies(D_random, D, sigma, rng):
    return rng.normal(size=(D_random, D)) / sigma**0.5
