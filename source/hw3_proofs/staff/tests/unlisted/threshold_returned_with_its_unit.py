"""A text for a number."""

FAILS = ("purification_threshold",)
WORDS = {"purification_threshold": "is text, not numbers"}


def purification_threshold():
    return "0.001"
