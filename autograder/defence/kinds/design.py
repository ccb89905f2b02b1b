"""Your design: which entry of the matrices that an answer returns can be changed, and which cannot?"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.defence.kinds.common import shuffled
from autograder.defence.records import CHOICES, Item, Study
from autograder.defence.running.edits import code
from autograder.defence.running.study import earns
from autograder.model import Value

_TRIES, _SMALLEST = 20, 6
_CHANGES = (("is halved", 0.5), ("is doubled", 2.0), ("becomes 0", 0.0), ("changes its sign", -1.0))


def design(study: Study, rng: np.random.Generator) -> Item | None:
    """Which change of an entry leaves the task solved, or which one does not?"""
    if study.design is None:
        return None
    question, value = study.design.posed.question, study.design.call.returned
    kept: list[str] = []
    lost: list[str] = []
    for says, changed in _changed(value, rng):
        (kept if earns(question, changed) else lost).append(says)
    few = CHOICES - 1
    ways = [
        (kept, lost, "Only one of these changes to what it returns leaves it right. Which one?"),
        (
            lost,
            kept,
            "Three of these changes to what it returns leave it right. Which one does not?",
        ),
    ]
    possible = [way for way in ways if way[0] and len(way[1]) >= few]
    if not possible:
        return None
    right, wrong, asked = possible[rng.integers(len(possible))]
    # Of the same change where there are such: which entry it is, is the question.
    how = right[0].split(" ", 1)[1]
    wrong = sorted(wrong, key=lambda says: not says.endswith(how))
    options, key = shuffled([right[0], *wrong[:few]], rng)
    return Item(
        "design",
        study.answer,
        f"What box {{box}} returns solves the task for every input. {asked}",
        (),
        options,
        key,
        (study.design,),
        difficulty=4.0,
    )


def _changed(value: Value, rng: np.random.Generator) -> Iterator[tuple[str, Value]]:
    """Yield changes of one entry or one row, in words, and the value with each."""
    arrays = {
        name: item
        for name, item in value.items()
        if isinstance(item, np.ndarray) and item.ndim == 2 and item.any()
    }
    if sum(item.size for item in arrays.values()) < _SMALLEST:
        return
    seen: set[str] = set()
    names = sorted(arrays)
    for _ in range(_TRIES):
        name = names[rng.integers(len(names))]
        entries = np.argwhere(arrays[name])
        row, column = (int(n) for n in entries[rng.integers(len(entries))])
        changed: Any = arrays[name].astype(float).copy()
        if rng.integers(3) == 0:
            says = f"row {row} of {code(name)} becomes 0"
            changed[row] = 0
        else:
            how, factor = _CHANGES[rng.integers(len(_CHANGES))]
            says = f"{code(f'{name}[{row}, {column}]')} {how}"
            changed[row, column] *= factor
        if says in seen:
            continue
        seen.add(says)
        yield says, {**value, name: changed}
