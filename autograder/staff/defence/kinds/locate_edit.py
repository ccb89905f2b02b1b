"""The kind "where is the edit": which of four edits explains a result?"""

from dataclasses import replace
from typing import Any

import numpy as np

from autograder.staff.defence.kinds.common import are_apart, drawn, given, near, of_edits, returned
from autograder.staff.defence.records import CHOICES, Edit, Item, Study
from autograder.staff.defence.running.edits import code
from autograder.staff.defence.values import MOST_TEXT, written


def where(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which of four edits explains a result."""
    if not study.small:
        return None
    place = len(study.small) - 1  # if possible, a different call from a prediction's
    one = study.small[place]
    apart: list[tuple[Edit, Any]] = []
    for edit in near(drawn(study.edits, 1, rng), study.edits, len(study.edits), rng):
        value = returned(edit.on_small[place])
        if value is None or not 0 < len(written(value)) <= MOST_TEXT:
            continue
        if all(are_apart(value, other) for other in [one.call.returned, *(v for _, v in apart)]):
            apart.append((edit, value))
    if len(apart) < CHOICES:
        return None
    chosen = apart[:CHOICES]
    right = int(rng.integers(CHOICES))
    text = (
        "After exactly one of these edits, box {box} is called with these values and returns "
        f"{code(written(chosen[right][1]))}. Which edit was it?"
    )
    edits = [edit for edit, _ in chosen]
    rest = [edit for edit in edits if edit is not edits[right]]
    item = of_edits(study, text, edits[right], rest, given(one.call), rng, at=[place])
    return None if item is None else replace(item, kind="where")
