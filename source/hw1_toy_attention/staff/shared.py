"""What both sides draw: the sentences of the tasks."""

import numpy as np

from autograder.kit import Array


def sentences(rng: np.random.Generator, number: int, length: int = 4) -> tuple[Array, Array]:
    """Draw sentences, (number, length, 4), and whether each is of the right kind, (number,).

    Of three tokens: whether the first is positive; of four: whether first and last differ.
    """
    tokens = rng.uniform(-1, 1, size=(number, length, 4))
    first, last = rng.choice([-1.0, 1.0], size=(2, number))
    tokens[:, 0] = first[:, None]
    if length == 3:
        return tokens, first > 0
    tokens[:, 3] = last[:, None]
    return tokens, first != last
