"""A whole root."""

FAILS = ("scale",)
WORDS = {"scale": "rounds them"}


def scale(d):
    return round(d**0.5)
