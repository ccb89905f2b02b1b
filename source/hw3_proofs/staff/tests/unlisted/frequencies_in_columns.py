"""One frequency a column."""

FAILS = ("sample_frequencies",)
WORDS = {"sample_frequencies": r"shape should be \(2000, 4\)"}


def sample_frequencies(D_random, D, sigma, rng):
    return rng.normal(size=(D, D_random)) / sigma
