"""The playground's levels: solutions, near solutions, and each level's target, in numpy."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from autograder.course import homework
from tests.helpers import ROOT

PAGE = ROOT / "extras" / "playground.html"
transformer = homework.staff_module(ROOT, "hw2_transformer", "reference").transformer
Matrices = dict[str, Any]
"""Qm, Km, Vm and pos, with the layer's number behind the name where there are two."""


def stacked(*parts: Any) -> Any:
    """Return rows of the letters, of CLS or n, and of pos, one below the other."""
    return np.vstack([np.atleast_2d(np.asarray(part, float)) for part in parts])


def identity(gain: float = 20.0) -> Matrices:
    """Let each letter look for itself."""
    return {"Qm": gain * np.eye(3), "Km": np.eye(3), "Vm": np.eye(3)}


def copy_first(gain: float = 20.0) -> Matrices:
    """Let every position look for position 0."""
    Km = stacked(np.zeros((3, 1)), [[gain], [0], [0], [0]])
    Qm = stacked(np.zeros((3, 1)), np.ones((4, 1)))
    return {"Qm": Qm, "Km": Km, "Vm": stacked(np.eye(3), np.zeros((4, 3))), "pos": np.eye(4)}


def copy_last(gain: float = 20.0) -> Matrices:
    """Give keys that grow with the position."""
    pos = np.arange(4.0)[:, None]
    Qm, Km = stacked(np.ones((3, 1)), [[0]]), stacked(np.zeros((3, 1)), [[gain]])
    return {"Qm": Qm, "Km": Km, "Vm": stacked(np.eye(3), np.zeros((1, 3))), "pos": pos}


def previous(gain: float = 20.0) -> Matrices:
    """Let position i look for position i - 1, and the first one for itself."""
    asked = np.eye(4, k=-1)
    asked[0, 0] = 1
    Qm, Km = stacked(np.zeros((3, 4)), gain * asked), stacked(np.zeros((3, 4)), np.eye(4))
    return {"Qm": Qm, "Km": Km, "Vm": stacked(np.eye(3), np.zeros((4, 3))), "pos": np.eye(4)}


def reverse(gain: float = 20.0) -> Matrices:
    """Score position j by 2 j (n - 1 - i) - j², which is largest at j = n - 1 - i."""
    pos = np.array([[i, i * i] for i in range(4)], float)
    Qm = gain * stacked(np.tile([-2, -1], (3, 1)), [[2, 0]], [[-2, 0], [0, 0]])
    Km = stacked(np.zeros((4, 2)), np.eye(2))
    return {"Qm": Qm, "Km": Km, "Vm": stacked(np.eye(3), np.zeros((3, 3))), "pos": pos}


def unique(gain: float = 60.0) -> Matrices:
    """Prefer an equal letter to CLS, and CLS to itself and all others."""
    Qm, Km = np.zeros((9, 9)), np.zeros((9, 9))
    Qm[:3, :3], Km[:3, :3] = np.eye(3), gain * np.eye(3)
    Qm[4:, 3:8], Km[4:, 3:8] = np.eye(5), -gain * np.eye(5)
    Qm[:3, 8], Km[3, 8] = 1, gain / 2
    Vm = np.array([[-1.0, -1, -1, 1, 0, 0, 0, 0, 0]]).T
    return {"Qm": Qm, "Km": Km, "Vm": Vm, "pos": np.eye(5)}


def most_frequent(gain: float = 0.0) -> Matrices:
    """Look at all letters alike; with a gain, more at equal ones."""
    return {"Qm": gain * np.eye(3), "Km": np.eye(3), "Vm": np.eye(3)}


def induction_shift(gain: float = 60.0, *, without_the_first: bool = True) -> Matrices:
    """Note the letter before; look for the note that is one's own letter, not at the first."""
    letters, places, notes = np.zeros((4, 6)), np.zeros((6, 5)), np.zeros((4, 5))
    Qm2 = np.zeros((14, 5))
    Qm2[:4, :4], notes[:, :4] = gain * np.eye(4), np.eye(4)
    if without_the_first:
        Qm2[:4, 4], places[0, 4] = gain, -2
    return {
        "Qm1": stacked(letters, gain * np.eye(6)),
        "Km1": stacked(letters, np.eye(6, k=1)),
        "Vm1": stacked(np.eye(4), np.zeros((6, 4))),
        "Qm2": Qm2,
        "Km2": stacked(np.zeros((4, 5)), places, notes),
        "Vm2": stacked(np.eye(4), np.zeros((10, 4))),
        "pos": np.eye(6),
    }


def induction_pointer(gain: float = 60.0, *, without_itself: bool = True) -> Matrices:
    """Find the copy and note its place; look at the place behind it."""
    not_here = gain * np.eye(6) * without_itself
    return {
        "Qm1": np.block([[2 * gain * np.eye(4), np.zeros((4, 6))], [np.zeros((6, 4)), not_here]]),
        "Km1": np.block([[np.eye(4), np.zeros((4, 6))], [np.zeros((6, 4)), -2 * np.eye(6)]]),
        "Vm1": stacked(np.zeros((4, 6)), np.eye(6)),
        "Qm2": stacked(np.zeros((10, 6)), gain * np.eye(6, k=1)),
        "Km2": stacked(np.zeros((4, 6)), np.eye(6), np.zeros((6, 6))),
        "Vm2": stacked(np.eye(4), np.zeros((12, 4))),
        "pos": np.eye(6),
    }


SOLUTIONS: dict[str, Callable[[], Matrices]] = {
    design.__name__: design
    for design in (
        identity,
        copy_first,
        copy_last,
        previous,
        reverse,
        unique,
        most_frequent,
        induction_shift,
        induction_pointer,
    )
}


def changed(matrices: Matrices, name: str, place: tuple[int, int], number: float) -> Matrices:
    """Return matrices with one other number."""
    other = {key: np.array(matrix, float) for key, matrix in matrices.items()}
    other[name][place] = number
    return other


NEAR = {
    "identity": identity(8),
    "copy_first": changed(copy_first(), "Qm", (6, 0), 0),
    "copy_last": copy_last(6),
    "previous": changed(previous(), "Qm", (3, 0), 0),
    "reverse": changed(reverse(), "Qm", (3, 0), 0),
    "unique": changed(unique(), "Km", (3, 8), 0),
    "most_frequent": most_frequent(3),
    "induction_shift": induction_shift(without_the_first=False),
    "induction_pointer": induction_pointer(without_itself=False),
}


_TURNS = np.pi / 2 * np.arange(4)
_AFTER = np.pi / 3 * np.arange(6)
OTHERS: dict[str, Matrices] = {
    "copy_first": {  # with 8 numbers that are not 0
        "Qm": stacked(np.ones((3, 1)), [[0]]),
        "Km": stacked(np.zeros((3, 1)), [[20]]),
        "Vm": stacked(np.eye(3), np.zeros((1, 3))),
        "pos": np.eye(4, 1),
    },
    "previous": {  # a quarter turn per position, and one back; the first one has a third number
        "Qm": stacked(np.zeros((3, 3)), 40 * np.array([[0, -1, 0], [1, 0, 0], [0, 0, 2]])),
        "Km": stacked(np.zeros((3, 3)), np.eye(3)),
        "Vm": stacked(np.eye(3), np.zeros((3, 3))),
        "pos": np.column_stack([np.cos(_TURNS), np.sin(_TURNS), np.arange(4) == 0]),
    },
    "reverse": {  # with one-hot positions, each a column
        "Qm": 20
        * stacked(
            np.tile([0, -1, -4, -9], (3, 1)),
            [[0, 2, 4, 6]],
            [[0, -2, -4, -6]] * np.arange(1, 5)[:, None],
        ),
        "Km": stacked(np.zeros((4, 4)), np.eye(4)),
        "Vm": stacked(np.eye(3), np.zeros((5, 3))),
        "pos": np.eye(4),
    },
    "induction_shift": {  # its places are angles: a note with a place of 0 comes from no letter
        **induction_shift(),
        "pos": np.column_stack([np.cos(_AFTER), np.sin(_AFTER), np.arange(6) == 0]),
        "Qm1": stacked(
            np.zeros((4, 2)), 100 * np.array([[0.5, -(3**0.5) / 2], [3**0.5 / 2, 0.5], [0, 0]])
        ),
        "Km1": stacked(np.zeros((4, 2)), np.eye(3, 2)),
        "Vm1": stacked(np.eye(4), np.zeros((3, 4))),
        "Qm2": stacked(
            np.hstack([60 * np.eye(4), 60 * np.ones((4, 1))]), np.zeros((3, 5)), np.zeros((4, 5))
        ),
        "Km2": stacked(np.zeros((4, 5)), np.zeros((2, 5)), [[0, 0, 0, 0, -2]], np.eye(4, 5)),
        "Vm2": stacked(np.eye(4), np.zeros((7, 4))),
    },
}
"""Solutions of a different design."""


def link(level: str, matrices: Matrices) -> str:
    """Return the fragment of an address that opens a level with some matrices."""
    parts = [
        f"{name}=" + "_".join(",".join(repr(float(number)) for number in row) for row in matrix)
        for name, matrix in matrices.items()
    ]
    return "#" + "/".join([level, *parts])


def induction_right(answer: Sequence[Any], word: Sequence[int]) -> bool:
    """Return whether what `induction_weights` returns is right for a word, as homework 7 counts it."""
    E, pos, layers, U = answer
    x = E[list(word)] + pos[: len(word)]
    mask = np.triu(np.full((len(word), len(word)), -np.inf), 1)
    for Q, K, V in layers:
        scores = (x @ Q) @ (x @ K).T / np.sqrt(Q.shape[1]) + mask
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        x = x + weights / weights.sum(axis=1, keepdims=True) @ (x @ V)
    wanted = np.eye(4)[word[word.index(word[-1]) + 1]]
    return bool(np.abs((x @ U)[-1] - wanted).max() <= 1e-3)


LETTERS = {"induction_shift": "ABCD", "induction_pointer": "ABCD"}
LENGTHS = {"identity": 6, "most_frequent": 6, "induction_shift": 6, "induction_pointer": 6}


def words(level: str) -> dict[int, list[tuple[int, ...]]]:
    """Return the words that a level asks about, by their length."""
    asked = {
        "most_frequent": lambda word: len(most_often(word)) == 1,
        "induction_shift": lambda word: word[:-1].count(word[-1]) == 1,
    }
    asked["induction_pointer"] = asked["induction_shift"]
    first = 2 if level in LETTERS else 1
    tokens = range(len(LETTERS.get(level, "ABC")))
    return {
        length: list(filter(asked.get(level), product(tokens, repeat=length)))
        if level in asked
        else list(product(tokens, repeat=length))
        for length in range(first, LENGTHS.get(level, 4) + 1)
    }


def most_often(word: Sequence[int]) -> list[int]:
    """Return the letters of which there are most."""
    times = [word.count(token) for token in range(3)]
    return [token for token in range(3) if times[token] == max(times)]


def target(level: str, word: tuple[int, ...]) -> list[int]:
    """Return what a level asks for at each token: a letter, or a sign; of induction, one letter."""
    if level in LETTERS:
        return [word[word.index(word[-1]) + 1]]
    return {
        "identity": list(word),
        "copy_first": [word[0]] * len(word),
        "copy_last": [word[-1]] * len(word),
        "previous": [word[0], *word[:-1]],
        "reverse": list(word[::-1]),
        "unique": [1 if word.count(token) == 1 else -1 for token in word],
        "most_frequent": most_often(word)[:1] * len(word),
    }[level]


def is_right(level: str, matrices: Matrices, word: tuple[int, ...]) -> bool:
    """Return whether matrices are right for a word, by the references of homework 2 and 7."""
    if level in LETTERS:
        return induction_right(induction_answer(matrices), word) and looks_right(
            level, matrices, word
        )
    width = 4 if level == "unique" else 3
    seq = np.eye(width)[list(word)]
    if level == "unique":
        seq = np.vstack([np.eye(4)[3], seq])
    if level == "reverse":
        seq = np.column_stack([seq, np.full(len(word), len(word))])
    Km, Qm, Vm = (np.asarray(matrices[name], float) for name in ("Km", "Qm", "Vm"))
    output = transformer(Km, Qm, Vm, seq, matrices.get("pos"))[-len(word) :]
    asked = target(level, word)
    if level == "unique":
        return bool((output[:, 0] * asked > 1e-6).all())
    wanted = np.eye(3)[asked]
    if level == "most_frequent":
        others = np.where(wanted == 1, -np.inf, output).max(axis=1)
        return bool(((output * wanted).sum(axis=1) - others > 1e-6).all())
    return bool((np.abs(output - wanted) <= 1e-3 * (1 + wanted)).all())


def induction_answer(matrices: Matrices) -> tuple[Any, ...]:
    """Return what homework 7 asks for: each row holds letter, place, note and answer."""
    read, noted = len(matrices["Qm1"]), len(matrices["Qm2"])
    width = noted + 4
    E, pos = np.zeros((4, width)), np.zeros((6, width))
    E[:, :4], pos[:, 4:read] = np.eye(4), matrices["pos"]
    layers = []
    for layer, rows, columns in (("1", read, slice(read, noted)), ("2", noted, slice(noted, None))):
        Q = np.zeros((width, np.shape(matrices[f"Qm{layer}"])[1]))
        K, V = np.zeros_like(Q), np.zeros((width, width))
        Q[:rows], K[:rows] = matrices[f"Qm{layer}"], matrices[f"Km{layer}"]
        V[:rows, columns] = matrices[f"Vm{layer}"]
        layers.append((Q, K, V))
    return E, pos, layers, np.eye(width)[:, noted:]


def looks_right(level: str, matrices: Matrices, word: tuple[int, ...]) -> bool:
    """Return whether layer 1 looks where the level's design does."""
    copy = word.index(word[-1])
    query = copy + 1 if level == "induction_shift" else len(word) - 1
    x = np.hstack([np.eye(4)[list(word)], np.asarray(matrices["pos"])[: len(word)]])
    scores = (x @ matrices["Qm1"])[query] @ (x @ matrices["Km1"])[: query + 1].T
    scores = scores / np.sqrt(np.shape(matrices["Qm1"])[1])
    weights = np.exp(scores - scores.max())
    return bool(weights[copy] / weights.sum() > 0.5)
