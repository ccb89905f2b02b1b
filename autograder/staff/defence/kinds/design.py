"""The kind "your design": which entry or row of the returned matrices can be changed?"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograder.records.questions import Value
from autograder.staff.defence.kinds.common import shuffled
from autograder.staff.defence.records import CHOICES, Item, Kind, Study
from autograder.staff.defence.running.edits import code
from autograder.staff.defence.running.study import earns

_MOST_TRIED, _SMALLEST = 30, 6
_CHANGES = {"is halved": 0.5, "is doubled": 2.0, "becomes 0": 0.0, "changes its sign": -1.0}
_ROW = "becomes 0 in all its columns"
_SOLVED, _UNSOLVED = "the task stays solved", "the task is no longer solved"


def design(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which change of an entry leaves the task solved, or which one does not."""
    return _asked(study, "design", tuple(_CHANGES), rng)


def row(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which row can become 0, or which cannot: about its purpose, not about its numbers."""
    return _asked(study, "row", (_ROW,), rng)


def _asked(study: Study, kind: Kind, hows: Sequence[str], rng: np.random.Generator) -> Item | None:
    """Ask which of four changes leaves the task solved, or which one does not.

    All choices make the same change, in different places of one matrix: everybody who knows the
    task knows the purpose of a matrix, but only somebody who reads its entries knows those.
    """
    if study.design is None:
        return None
    question, value = study.design.posed.question, study.design.call.returned
    few, tried = CHOICES - 1, 0
    for name, how in _ways(value, hows, rng):
        kept: list[str] = []
        lost: list[str] = []
        for says, changed in _changed(value, name, how, rng):
            (kept if earns(question, changed) else lost).append(says)
            tried += 1
            if kept and lost and max(len(kept), len(lost)) >= few:
                break
        if len(lost) >= few and kept:
            right, wrong = kept[0], lost[:few]
            asked = "Only one of these changes to what it returns leaves it right. Which one?"
        elif len(kept) >= few and lost:
            right, wrong = lost[0], kept[:few]
            asked = "Three of these changes to what it returns leave it right. Which one does not?"
        elif tried >= _MOST_TRIED:
            return None
        else:
            continue
        options, key = shuffled([right, *wrong], rng)
        return Item(
            kind,
            study.answer,
            f"What box {{box}} returns solves the task for every input. {asked}",
            (),
            options,
            key,
            (study.design,),
            difficulty=4.0,
            because=dict.fromkeys(kept, _SOLVED) | dict.fromkeys(lost, _UNSOLVED),
        )
    return None


def _ways(value: Value, hows: Sequence[str], rng: np.random.Generator) -> list[tuple[str, str]]:
    """Return pairs of a matrix and a change, in random order."""
    names = [
        name
        for name, item in sorted(value.items())
        if isinstance(item, np.ndarray) and item.ndim == 2 and item.any()
    ]
    if sum(value[name].size for name in names) < _SMALLEST:
        return []
    ways = [(name, how) for name in names for how in hows]
    return [ways[n] for n in rng.permutation(len(ways))]


def _changed(
    value: Value, name: str, how: str, rng: np.random.Generator
) -> Iterator[tuple[str, Value]]:
    """Yield a change of each nonzero entry or row, in words, with the changed value."""
    matrix = value[name].astype(float)
    if how == _ROW:
        for row in rng.permutation(np.flatnonzero(matrix.any(axis=1))).tolist():
            changed: Any = matrix.copy()
            changed[row] = 0
            yield f"row {row} of {code(name)} {how}", {**value, name: changed}
        return
    for row, column in rng.permutation(np.argwhere(matrix)).tolist():
        changed = matrix.copy()
        changed[row, column] *= _CHANGES[how]
        yield f"{code(f'{name}[{row}, {column}]')} {how}", {**value, name: changed}
