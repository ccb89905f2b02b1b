"""Inputs drawn for the three scores: weights of causal layers, and words with repeated letters."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs

SIZES = ((1, 2, 1), (2, 4, 2), (3, 6, 3), (3, 6, 5), (4, 9, 4), (40, 14, 10))
"""Words, letters in each, and how many kinds of letters; one shape comes twice."""


def weight_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw weights alone."""
    return [{"A": _weights(rng, count, length)} for count, length, _ in SIZES]


def word_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw weights and words.

    From length 4 on the first word of a case begins with a letter three times, and from three words
    on the last has no letter twice where there are letters enough.
    """
    drawn = []
    for count, length, letters in SIZES:
        words = rng.integers(0, letters, size=(count, length))
        if length > 3:
            words[0, :3] = words[0, 0]
        if count > 2 and letters < length:
            words[-1] = np.arange(length)
        drawn.append({"A": _weights(rng, count, length), "words": words})
    return drawn


def _weights(rng: np.random.Generator, count: int, length: int) -> Array:
    weights = np.tril(rng.exponential(size=(count, length, length)))
    found: Array = weights / weights.sum(axis=2, keepdims=True)
    return found


def describe(inputs: Inputs) -> str:
    """Return what a case was, in words."""
    count, length, _ = inputs["A"].shape
    return f"{count} word{'s' * (count > 1)} of length {length}"
