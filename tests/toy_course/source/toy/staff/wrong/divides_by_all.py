"""It divides by the number of all numbers."""

FAILS = ("mean",)
NUDGE = "How many numbers are in the sum?"
EXPLANATION = (
    "The sum is divided by how many numbers there are, and not by how many are above zero."
)


def mean_positive(numbers):
    return numbers[numbers > 0].sum() / len(numbers)
