"""numpy's scale is sigma."""

MISTAKE = "frequencies_too_wide"
FAILS = ("sample_frequencies",)


def sample_frequencies(D_random, D, sigma, rng):
    return rng.normal(0, sigma, (D_random, D))
