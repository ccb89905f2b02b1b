"""Independent, so 0."""

FAILS = ("dot_mean",)
WORDS = {"dot_mean": "All of them are zero"}


def dot_mean(mu, sigma, d):
    return 0.0
