"""The root of the variance."""

FAILS = ("dot_variance",)
WORDS = {"dot_variance": "is not right"}


def dot_variance(mu, sigma, d):
    return (d * (sigma**4 + 2 * mu**2 * sigma**2)) ** 0.5
