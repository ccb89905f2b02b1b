"""d mu."""

FAILS = ("dot_mean",)
WORDS = {"dot_mean": "is off by"}


def dot_mean(mu, sigma, d):
    return d * mu
