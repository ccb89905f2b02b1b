"""A text for a number."""

FAILS = ("purification_threshold",)
WORDS = {"purification_threshold": "should return numbers; it returned str"}


def purification_threshold():
    return "0.001"
