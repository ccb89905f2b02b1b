"""Inputs that a person can work through, for questions on a student's own answers."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs


def weights(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw weights of a word of three letters, in tenths."""
    return [{"A": _tenths(rng)} for _ in range(3)]


def weights_and_words(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw the same, with a word in which the last letter came before."""
    words = ([0, 0, 0], [0, 1, 0], [1, 1, 1], [2, 0, 2])
    return [
        {"A": _tenths(rng), "words": np.array([words[number]])}
        for number in rng.permutation(len(words))[:3]
    ]


def _tenths(rng: np.random.Generator) -> Array:
    first, second = int(rng.integers(1, 10)), rng.multinomial(7, [1 / 3] * 3) + 1
    return np.array([[[10, 0, 0], [first, 10 - first, 0], second]]) / 10


SMALL = {
    "previous_score": weights,
    "copy_score": weights_and_words,
    "induction_score": weights_and_words,
}
