"""The other root of sigma^2."""

FAILS = ("gaussian_sigma",)
WORDS = {"gaussian_sigma": "is not right"}


def gaussian_sigma(D):
    return -(D**0.25)
