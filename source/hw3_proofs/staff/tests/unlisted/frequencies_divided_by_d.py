"""Divided by the root of D as well."""

FAILS = ("sample_frequencies",)
WORDS = {"sample_frequencies": "too narrow"}


def sample_frequencies(D_random, D, sigma, rng):
    return rng.normal(size=(D_random, D)) / (sigma * D**0.5)
