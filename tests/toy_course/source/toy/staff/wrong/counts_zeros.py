"""It counts the zeros, too."""

FAILS = ("count",)
NUDGE = "Is zero above zero?"
EXPLANATION = "Zeros are counted, and not only the numbers above zero."


def count_positive(numbers):
    return int((numbers >= 0).sum())
