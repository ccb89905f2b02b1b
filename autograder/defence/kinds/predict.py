"""Predict: which of four values does a call return?"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from autograder.defence.kinds.common import are_apart, given, returned, shuffled
from autograder.defence.records import CHOICES, Item, Study
from autograder.defence.running.study import is_constant, trace
from autograder.defence.values import flat, form, written


def predict(study: Study, others: Sequence[Any], rng: np.random.Generator) -> Item | None:
    """Which of four values does a call return?

    Args:
        study: The answer.
        others: For each small call, values that known mistakes return.
        rng: Draws.
    """
    if not study.small or is_constant(study):
        return None
    place = 0
    one = study.small[place]
    right = one.call.returned
    edited = [returned(edit.on_small[place]) for edit in study.edits]
    elsewhere = [other.call.returned for other in study.small if other is not one]
    wrong: list[Any] = []
    for value in [*others[place], *edited, *elsewhere]:
        if (
            value is not None
            and form(value) == form(right)
            and all(are_apart(value, other) for other in [right, *wrong])
        ):
            wrong.append(value)
    chosen = _around(right, wrong, rng)
    if chosen is None:
        return None
    options, key = shuffled([written(right), *map(written, chosen)], rng)
    return Item(
        "predict",
        study.answer,
        "Box {box} is called with these values. What does it return?",
        given(one.call),
        options,
        key,
        (one,),
        difficulty=trace(one.call) + 1,
    )


def _around(right: Any, wrong: Sequence[Any], rng: np.random.Generator) -> Sequence[Any] | None:
    """Return three wrong values, such that the right one is in their midst no more often than others.

    Each wrong value is the right one with something changed, so that without care the right one
    would be the most like all others.
    """
    if len(wrong) < CHOICES - 1:
        return None
    wanted = int(rng.integers(CHOICES))
    groups = list(combinations(wrong[:9], CHOICES - 1))
    order = rng.permutation(len(groups)).tolist()
    best: Sequence[Any] = min(
        (groups[n] for n in order), key=lambda group: abs(_rank(right, group) - wanted)
    )
    return best


def _rank(right: Any, group: Sequence[Any]) -> int:
    """Return how many of the others are more like the rest than the right one."""
    values = [np.asarray(flat(item)) for item in (right, *group)]
    if len({len(value) for value in values}) > 1:
        return 0
    shared = [sum(float(np.isclose(v, w).mean()) for w in values) for v in values]
    spread = max(float(np.abs(v - w).max(initial=0)) for v in values for w in values) or 1.0
    far = [sum(float(np.abs(v - w).mean()) for w in values) / spread for v in values]
    likeness = [one - other for one, other in zip(shared, far, strict=True)]
    return sum(other > likeness[0] for other in likeness[1:])
