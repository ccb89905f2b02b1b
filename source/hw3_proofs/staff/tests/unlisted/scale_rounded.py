"""A whole root."""

FAILS = ("scale",)
WORDS = {"scale": "is not right"}


def scale(d):
    return round(d**0.5)
