"""The root of 2 d, since 2 d numbers are drawn."""

FAILS = ("scale",)
WORDS = {"scale": "off by the same factor"}


def scale(d):
    return (2 * d) ** 0.5
