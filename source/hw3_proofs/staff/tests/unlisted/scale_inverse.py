"""What to multiply by."""

FAILS = ("scale",)
WORDS = {"scale": "is not right"}


def scale(d):
    return d**-0.5
