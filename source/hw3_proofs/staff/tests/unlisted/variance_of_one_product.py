"""The variance of one product, without d."""

FAILS = ("dot_variance",)
WORDS = {"dot_variance": "is not right"}


def dot_variance(mu, sigma, d):
    return sigma**4 + 2 * mu**2 * sigma**2
