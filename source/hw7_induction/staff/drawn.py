"""Random right answers to the questions about matrices, in forms that nobody would write down.

A design stays right when the stream is written in any other basis, when queries and keys are
turned together, when rooms change places or sizes, and when there is room to spare.
"""

from collections.abc import Callable

import numpy as np

from autograder.kit import Array, Value

from .words import LETTERS, LONGEST

Draw = Callable[[np.random.Generator], Value]
LETTER, PLACE = slice(0, len(LETTERS)), slice(len(LETTERS), len(LETTERS) + LONGEST)
ROOMS = len(LETTERS) + LONGEST


def previous_weights(rng: np.random.Generator) -> Value:
    """Draw a layer whose positions ask for the one before."""
    design = _stream(ROOMS + int(rng.integers(0, 20)), rng)
    design |= _shifted("", design, rng)
    return _disguised(design, rng)


def copy_weights(rng: np.random.Generator) -> Value:
    """Draw a layer whose letters find their like elsewhere."""
    design = _stream(ROOMS + int(rng.integers(0, 20)), rng)
    design |= _elsewhere("", design, rng)
    return _disguised(design, rng)


def induction_weights(rng: np.random.Generator) -> Value:
    """Draw a shift or a pointer."""
    return shift(rng) if rng.random() < 0.5 else pointer(rng)


def shift(rng: np.random.Generator, *, disguised: bool = True) -> Value:
    """Draw a design whose layer 1 notes the letter before, and whose layer 2 matches it."""
    n, note = len(LETTERS), ROOMS
    width = ROOMS + 2 * n + int(rng.integers(0, 20))
    design = _stream(width, rng)
    design |= _shifted("1", design, rng)
    V1, Q2, K2 = np.zeros((width, width)), np.zeros((width, n + 1)), np.zeros((width, n + 1))
    size = rng.uniform(0.3, 3)
    V1[LETTER, note : note + n] = size * np.eye(n)
    gain = rng.uniform(30, 60) * np.sqrt(n + 1)
    Q2[LETTER] = gain * np.eye(n, n + 1)
    K2[note : note + n] = np.eye(n, n + 1) / size
    Q2[LETTER, n], K2[PLACE.start, n] = gain, -rng.uniform(1.6, 3)
    design |= {"V1": V1, "Q2": Q2, "K2": K2} | _answer(width, note + n, rng)
    return _disguised(design, rng) if disguised else design


def pointer(rng: np.random.Generator, *, disguised: bool = True) -> Value:
    """Draw a design whose layer 1 notes where the copy is, and whose layer 2 goes one further."""
    n, note = len(LETTERS), ROOMS
    width = ROOMS + LONGEST + n + int(rng.integers(0, 20))
    design = _stream(width, rng)
    design |= _elsewhere("1", design, rng)
    V1, Q2, K2 = (np.zeros((width, columns)) for columns in (width, LONGEST, LONGEST))
    size = rng.uniform(0.3, 3)
    V1[PLACE, note : note + LONGEST] = size * np.eye(LONGEST)
    gain = rng.uniform(30, 60) * np.sqrt(LONGEST)
    Q2[note : note + LONGEST] = gain / size * np.eye(LONGEST, k=1)
    K2[PLACE] = np.eye(LONGEST)
    design |= {"V1": V1, "Q2": Q2, "K2": K2} | _answer(width, note + LONGEST, rng)
    return _disguised(design, rng) if disguised else design


def _stream(width: int, rng: np.random.Generator) -> dict[str, Array]:
    """Return E and pos with a room for letters and a room for positions, and rows to spare."""
    E, pos = np.zeros((len(LETTERS), width)), np.zeros((LONGEST + int(rng.integers(0, 4)), width))
    E[:, LETTER], pos[:LONGEST, PLACE] = np.eye(len(LETTERS)), np.eye(LONGEST)
    return {"E": E, "pos": pos}


def _shifted(layer: str, design: Value, rng: np.random.Generator) -> dict[str, Array]:
    width = design["E"].shape[1]
    Q, K = np.zeros((width, LONGEST)), np.zeros((width, LONGEST))
    Q[PLACE] = rng.uniform(15, 60) * np.sqrt(LONGEST) * np.eye(LONGEST)
    K[PLACE] = np.eye(LONGEST, k=1)
    return {f"Q{layer}": Q, f"K{layer}": K}


def _elsewhere(layer: str, design: Value, rng: np.random.Generator) -> dict[str, Array]:
    """Return queries and keys that reward the same letter, and its own position not at all."""
    width = design["E"].shape[1]
    Q, K = np.zeros((width, ROOMS)), np.zeros((width, ROOMS))
    gain = rng.uniform(15, 60) * np.sqrt(ROOMS)
    Q[LETTER, LETTER], Q[PLACE, PLACE] = gain * np.eye(len(LETTERS)), gain * np.eye(LONGEST)
    K[LETTER, LETTER] = np.eye(len(LETTERS))
    K[PLACE, PLACE] = -rng.uniform(1, 3) * np.eye(LONGEST)
    return {f"Q{layer}": Q, f"K{layer}": K}


def _answer(width: int, room: int, rng: np.random.Generator) -> dict[str, Array]:
    """Return V of layer 2 and U, whose product takes the letter to the logits."""
    n, size = len(LETTERS), rng.uniform(0.2, 5)
    V2, U = np.zeros((width, width)), np.zeros((width, n))
    V2[LETTER, room : room + n] = size * np.eye(n)
    U[room : room + n] = np.eye(n) / size
    return {"V2": V2, "U": U}


def _disguised(design: dict[str, Array], rng: np.random.Generator) -> Value:
    """Write the stream in a basis of its own, and turn queries and keys of each layer together."""
    width = design["E"].shape[1]
    turn = np.linalg.qr(rng.normal(size=(width, width)))[0] * rng.uniform(0.5, 2, size=width)
    back = np.linalg.inv(turn)
    found: dict[str, Array] = {"E": design["E"] @ turn, "pos": design["pos"] @ turn}
    for layer in ("", "1", "2"):
        if f"Q{layer}" in design:
            size = design[f"Q{layer}"].shape[1]
            twist = rng.normal(size=(size, size)) + 3 * np.eye(size)
            found[f"Q{layer}"] = back @ design[f"Q{layer}"] @ twist
            found[f"K{layer}"] = back @ design[f"K{layer}"] @ np.linalg.inv(twist).T
        if f"V{layer}" in design:
            found[f"V{layer}"] = back @ design[f"V{layer}"] @ turn
    if "U" in design:
        found["U"] = back @ design["U"]
    return found


DRAWN: dict[str, Draw] = {
    "previous_weights": previous_weights,
    "copy_weights": copy_weights,
    "induction_weights": induction_weights,
}
"""Question id -> draws one right value."""
