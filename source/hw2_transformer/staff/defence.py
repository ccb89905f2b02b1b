"""Inputs that a person can work through, for questions on a student's own answers."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Inputs


def port(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw one-hot or small tokens and weights of whole numbers, without positions."""
    return [_case(rng, length) for length in (2, 2, 3)]


def port_positions(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw the same with a table of positions."""
    return [_case(rng, 2, positions=1) for _ in range(2)]


def _case(rng: np.random.Generator, length: int, *, positions: int = 0) -> Inputs:
    rows = 2 + positions
    case = {
        "Km": rng.integers(-2, 3, size=(rows, 1)).astype(float),
        "Qm": rng.integers(-2, 3, size=(rows, 1)).astype(float),
        "Vm": rng.integers(-3, 4, size=(rows, 1)).astype(float),
        "seq": rng.integers(0, 3, size=(length, 2)).astype(float),
    }
    if positions:
        case["pos"] = rng.integers(0, 3, size=(length + 1, positions)).astype(float)
    return case


SMALL = {"port": port, "port_positions": port_positions}
