"""d mu."""

FAILS = ("dot_mean",)
WORDS = {"dot_mean": "is not right"}


def dot_mean(mu, sigma, d):
    return d * mu
