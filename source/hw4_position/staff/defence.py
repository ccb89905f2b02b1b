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


def turned(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw two rows in the plane, at position 0 and at whole ones: one pair, whose speed is 1."""
    cases: list[Inputs] = []
    for _ in range(3):
        along = rng.integers(1, 4, size=(2, 2)).astype(float)
        positions = rng.permutation([0.0, float(rng.integers(1, 4))])
        x = rng.permuted([[0.0, 2.0], [1.0, 0.0]], axis=1)
        cases.append({"x": x, "positions": positions, "base": 100.0, "along": along})
    return cases


def widths(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw widths of one pair of columns and of two."""
    return [{"d": int(d)} for d in rng.permutation([2, 4])]


def few_heads(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw one head and two, whose slopes are powers of two."""
    sizes = rng.permutation([(1, 2), (1, 3), (2, 2)])
    return [{"heads": int(heads), "T": int(T)} for heads, T in sizes]


SMALL = {
    "ceiling": ceiling,
    "order_from_states": order,
    "rotate": turned,
    "previous_by_rotation": widths,
    "alibi_bias": few_heads,
}
