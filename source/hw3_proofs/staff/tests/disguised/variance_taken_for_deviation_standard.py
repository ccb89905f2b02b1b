"""Standard normal numbers, divided by the variance."""

MISTAKE = "variance_taken_for_deviation"
FAILS = ("sample_frequencies",)


def sample_frequencies(D_random, D, sigma, rng):
    return rng.standard_normal((D_random, D)) / (sigma * sigma)
