"""Inputs that a person can work through, for questions on a student's own answers."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Inputs


def port(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw small tokens and weights of whole numbers, without positions."""
    return [_case(rng, length) for length in (2, 2, 3)]


def port_positions(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw the same with a table of positions."""
    return [_case(rng, 2, positions=1) for _ in range(2)]


def _case(rng: np.random.Generator, length: int, *, positions: int = 0) -> Inputs:
    """Draw until each token attends to one alone, not all to the same, and a swap is seen."""
    rows = 2 + positions
    while True:
        case = {
            "Km": rng.integers(-2, 3, size=(rows, 1)) * 20.0,
            "Qm": rng.integers(-2, 3, size=(rows, 1)).astype(float),
            "Vm": rng.integers(-3, 4, size=(rows, 1)).astype(float),
            "seq": rng.integers(0, 3, size=(length, 2)).astype(float),
        }
        if positions:
            case["pos"] = rng.integers(0, 3, size=(length + 1, positions)).astype(float)
        if _tells(case):
            return case


def _tells(case: Inputs) -> bool:
    """Whether another token attended to is another result, and attention is far from even."""
    seq = case["seq"]
    x = np.hstack([seq, case["pos"][: len(seq)]]) if "pos" in case else seq
    scores = (x @ case["Qm"]) @ (x @ case["Km"]).T
    best = scores.argmax(axis=1)
    gaps = np.sort(scores, axis=1)
    return bool(
        (gaps[:, -1] - gaps[:, -2] >= 20).all()
        and len(set(best)) > 1
        and (best != scores.argmax(axis=0)).any()
        and len(set((x @ case["Vm"]).ravel())) == len(seq)
    )


SMALL = {"port": port, "port_positions": port_positions}
