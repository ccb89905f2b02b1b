"""What to multiply by."""

FAILS = ("scale",)
WORDS = {"scale": "is off by"}


def scale(d):
    return d**-0.5
