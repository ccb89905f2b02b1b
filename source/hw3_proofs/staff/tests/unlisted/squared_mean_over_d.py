"""mu^2 / d: a mean of products."""

FAILS = ("dot_mean",)
WORDS = {"dot_mean": "is not right"}


def dot_mean(mu, sigma, d):
    return mu**2 / d
