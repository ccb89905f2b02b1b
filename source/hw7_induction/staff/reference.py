"""The three scores of attention weights, as slow and obvious as can be."""

import numpy as np

from autograder.kit import Array


def previous_score(A: Array) -> dict[str, Array]:
    """Return the mean weight that a place gives to the place before it."""
    given = []
    for weights in A:
        for place in range(1, len(weights)):
            given.append(weights[place][place - 1])
    return {"the score": np.array(sum(given) / len(given))}


def copy_score(A: Array, words: Array) -> dict[str, Array]:
    """Return the mean, over places whose letter came before, of the weight on all earlier copies."""
    given = []
    for weights, word in zip(A, words, strict=True):
        for place in range(len(word)):
            copies = [n for n in range(place) if word[n] == word[place]]
            if copies:
                given.append(sum(weights[place][n] for n in copies))
    return {"the score": np.array(sum(given) / len(given))}


def induction_score(A: Array, words: Array) -> dict[str, Array]:
    """Return the mean, over the same places, of the weight on all places right after a copy."""
    given = []
    for weights, word in zip(A, words, strict=True):
        for place in range(len(word)):
            copies = [n for n in range(place) if word[n] == word[place]]
            if copies:
                given.append(sum(weights[place][n + 1] for n in copies))
    return {"the score": np.array(sum(given) / len(given))}
