"""sigma^2 = 2 sqrt(D)."""

FAILS = ("gaussian_sigma",)
WORDS = {"gaussian_sigma": "off by the same factor"}


def gaussian_sigma(D):
    return (2 * D**0.5) ** 0.5
