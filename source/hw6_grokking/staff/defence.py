"""Inputs that a person can work through, for questions on a student's own answers."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs


def mirror(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs of three numbers."""
    return [
        {"trained": rng.integers(0, 3, size=(3, 2)), "others": rng.integers(0, 3, size=(4, 2))}
        for _ in range(3)
    ]


def power(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw embeddings of five tokens in one dimension."""
    return [{"E": _embedding(rng, 5)} for _ in range(2)]


def keep(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw embeddings of three tokens, and the one frequency that there is."""
    return [{"E": _embedding(rng, 3), "frequencies": np.array([1])} for _ in range(3)]


def _embedding(rng: np.random.Generator, p: int) -> Array:
    return rng.permutation(np.arange(p) - p // 2 + rng.integers(0, 2, size=p))[:, None].astype(
        float
    )


SMALL = {"mirror_share": mirror, "fourier_power": power, "keep_and_remove": keep}
