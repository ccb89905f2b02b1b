"""The other root of d."""

FAILS = ("scale",)
WORDS = {"scale": "is not right"}


def scale(d):
    return -(d**0.5)
