"""Inputs that a person can work through, for questions on a student's own answers."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs


def attend(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw one sentence of three tokens, and a query."""
    return [
        {"tokens": _whole(rng, 1, 3, 2), "queries": _whole(rng, 1, 1), "K": _whole(rng, 2, 1)}
        for _ in range(3)
    ]


def losses(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw logits of two sentences."""
    return [{"logits": _whole(rng, 2, 2), "labels": rng.integers(0, 2, size=2)} for _ in range(3)]


def easy(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw one sentence and a model of size 1."""
    return [
        {
            "tokens": _whole(rng, 1, 3, 2),
            "weights": np.ones(1),
            "Q": _whole(rng, 2, 1),
            "K": _whole(rng, 2, 1),
            "w": _whole(rng, 2),
            "b": np.array(float(rng.integers(-2, 3))),
        }
        for _ in range(2)
    ]


def odd(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw one sentence of two tokens, and a function of it."""
    return [
        {
            "tokens": _whole(rng, 1, 2, 2),
            "q": _whole(rng, 1),
            "K": _whole(rng, 2, 1),
            "w": _whole(rng, 2),
            "b": 1.0,
            "linear": _whole(rng, 2, 2),
            "square": _whole(rng, 2, 2),
            "constant": 2.0,
        }
        for _ in range(2)
    ]


def terms(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw one sentence of two tokens, whose scores are 0 or small."""
    return [
        {
            "tokens": _whole(rng, 1, 2, 2),
            "q": rng.integers(0, 2, size=1).astype(float),
            "K": _whole(rng, 2, 1),
            "w": _whole(rng, 2),
            "b": float(rng.integers(-2, 3)),
        }
        for _ in range(3)
    ]


def rows(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw four rows."""
    return [{"outputs": _whole(rng, 4, 4)} for _ in range(3)]


def _whole(rng: np.random.Generator, *shape: int) -> Array:
    return rng.integers(-2, 3, size=shape).astype(float)


SMALL = {
    "attend": attend,
    "nll_trap": losses,
    "easy_task": easy,
    "oddness": odd,
    "terms": terms,
    "count_xor_patterns": rows,
}
