"""What is right, number by number."""

import numpy as np

from autograder.kit import Array


def count(numbers: Array) -> dict[str, Array]:
    """Return how many numbers are above zero."""
    found = 0
    for number in numbers:
        if number > 0:
            found += 1
    return {"the count": np.array(found)}


def mean(numbers: Array) -> dict[str, Array]:
    """Return the mean of the numbers above zero, and 0 where there are none."""
    total, found = 0.0, 0
    for number in numbers:
        if number > 0:
            total += number
            found += 1
    if found == 0:
        return {"the mean": np.array(0.0)}
    return {"the mean": np.array(total / found)}
