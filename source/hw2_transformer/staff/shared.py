"""What both sides of the port's questions call the sequences that one model gets."""

import numpy as np

from autograder.kit import Array

NUMBERS = ("second", "third", "fourth")


def sequences(
    seq: Array, later: Array | None = None, lengths: Array | None = None
) -> dict[str, Array]:
    """Return the sequences of a case by what their outputs are called.

    Args:
        seq: The first one, (seq_len, input_dim).
        later: The rows of the others, one below the other.
        lengths: Of the others.
    """
    found = {"output": seq}
    if later is not None and lengths is not None:
        parts = np.split(later, np.cumsum(lengths)[:-1])
        for number, part in zip(NUMBERS, parts, strict=True):
            found[f"the output for the same model's {number} sequence, of length {len(part)},"] = (
                part
            )
    return found
