"""Inputs that a person can work through, for questions on a student's own answers."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Inputs


def ceiling(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw tables of three tokens."""
    return [{"M": rng.integers(0, 3, size=(3, 3))} for _ in range(3)]


def order(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs of three tokens whose embeddings are one number each."""
    E = np.array([[1.0], [4.0], [-2.0]])
    cases: list[Inputs] = []
    for _ in range(3):
        pairs = rng.integers(0, 3, size=(2, 2))
        states = np.stack([2 * E[pairs[:, 0]], 0.5 * E[pairs[:, 0]] + 1.5 * E[pairs[:, 1]]], axis=1)
        cases.append({"states": rng.permuted(states, axis=1), "E": E})
    return cases


SMALL = {"ceiling": ceiling, "order_from_states": order}
