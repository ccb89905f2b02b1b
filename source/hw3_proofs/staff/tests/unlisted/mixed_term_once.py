"""2 mu^2 sigma^2 without its 2, in the function alone."""

FAILS = ("dot_variance",)
WORDS = {"dot_variance": "is not right"}


def dot_variance(mu, sigma, d):
    return d * (sigma**4 + mu**2 * sigma**2)
