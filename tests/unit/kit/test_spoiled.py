"""A right value that is spoiled in one place fails every check, hidden and visible, and none raises."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder.data import Frame
from autograder.kit import (
    Asserted,
    Check,
    Close,
    Derivation,
    Inputs,
    Picture,
    Property,
    Raises,
    Value,
)
from autograder.marking.bounded import call
from tests.unit.kit.test_any_value import CASES, NAMES, Plain

FREE: dict[type[Check], tuple[str, ...]] = {
    Asserted: ("score", "hidden", "message", "code"),  # its own tests try every score
    Close: ("beside",),
    Derivation: ("lines", "last", "line 1", "line 3"),
    Picture: ("title", "legend"),
    Property: ("table",),
    Raises: ("message",),
}
"""Parts that earn and cost nothing, and a table of which a property sees one column."""
JUDGED = [case for case in zip(CASES, NAMES, strict=True) if not isinstance(case[0][0], Plain)]


def spoiled(item: Any, free: tuple[str, ...]) -> Iterator[Any]:
    """Yield a value of a wrong kind, and the value with one of its parts spoiled."""
    for wrong in (None, math.nan, math.inf, "", "text", [], np.zeros((0, 3)), np.array(math.nan)):
        if repr(wrong) != repr(item):
            yield wrong
    if isinstance(item, np.ndarray):
        numbers = item.astype(float)
        for wrong in (math.nan, math.inf):
            one = numbers.copy()
            one[(0,) * item.ndim] = wrong
            yield from (one, np.full_like(numbers, wrong))
        yield from (item[None], item[..., None], item[:0] if item.ndim else item[None][:0])
    elif isinstance(item, dict):
        for key in [key for key in item if not str(key).startswith(free or ("\0",))]:
            yield from ({**item, key: part} for part in spoiled(item[key], free))
    elif isinstance(item, list | tuple):
        for place in range(len(item)):
            for part in spoiled(item[place], free):
                yield type(item)([*item[:place], part, *item[place + 1 :]])
    elif isinstance(item, Frame) and "table" not in free:
        for place, column in enumerate(item.values):
            for wrong in (None, math.nan, math.inf, "", True):
                values = [*item.values]
                values[place] = (wrong, *column[1:])
                yield replace(item, values=tuple(values))


@pytest.mark.parametrize(
    ("check", "inputs", "right"), [case for case, _ in JUDGED], ids=[name for _, name in JUDGED]
)
def test_a_spoiled_value_loses(check: Check, inputs: Inputs, right: Value) -> None:
    """NaN, infinity, nothing, an empty value or one of another kind, wherever it stands."""
    free = FREE.get(type(check), ())
    for value in spoiled(dict(right), free):
        if isinstance(value, dict):
            assert call(check, inputs, value).fraction < 1, value
