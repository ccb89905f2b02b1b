"""The largest plain data that cross: every check of them has its verdict long before its time is up."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from autograder.kit import Check, Exact, Prints, Property, Raises, Table, Text, Value
from autograder.marking.check_limits import call, within
from autograder.records import data
from autograder.records.questions import RESULT
from autograder.sandbox.inside.evaluate import MAX_TEXT
from tests.plain_data import across

pytestmark = pytest.mark.slow

MOST = data.MAX_ELEMENTS - 10
HALF = MOST // 2
BYTES = 2_000_000


def nested(depth: int, inner: Any) -> Any:
    return inner if not depth else [nested(depth - 1, inner)]


def raised(returned: Any) -> dict[str, Any]:
    return {"kinds": [], "message": "", "returned": returned}


ROWS = MOST // 4
FRAME = pd.DataFrame({"a": range(ROWS), "b": [str(n % 7) for n in range(ROWS)]})
LARGE: dict[str, Callable[[], Any]] = {
    "a list": lambda: list(range(MOST)),
    "a list of texts": lambda: [str(n) for n in range(MOST)],
    "a list of lists": lambda: [[n] for n in range(HALF)],
    "deep": lambda: nested(data.MAX_DEPTH - 2, [1.5] * (MOST - 100)),
    "a set": lambda: frozenset(range(MOST)),
    "a set of tuples": lambda: frozenset((n,) for n in range(HALF)),
    "a dict": lambda: {n: str(n) for n in range(HALF - 1)},
    "large numbers": lambda: [10 ** (data.MAX_DIGITS - 1) + n for n in range(BYTES // 1010)],
    "text": lambda: "\u00e9 " * (BYTES // 4),
    "lines": lambda: "1\n" * (MAX_TEXT // 2),
    "accents": lambda: "\u0301\u0316" * (BYTES // 4),
    "a table": lambda: data.read(FRAME),
}


def in_time(check: Check, value: Value, known: Value) -> float:
    """Return what a value earns; CheckFailed where its verdict or its likeness takes too long."""
    verdict = call(check, {}, value)
    within(check.likeness, {}, value, known)
    return verdict.fraction


@pytest.mark.parametrize("kind", LARGE)
def test_a_large_value_is_judged_in_time(kind: str) -> None:
    """Beside one that is as large, and equal, or differs at its end; and by every check of data."""
    right = LARGE[kind]()
    value = across({RESULT: right})
    if kind != "a table":
        assert in_time(Exact(lambda: right, tolerance=1e-9), value, value) == 1
        assert in_time(Exact(lambda: [right]), {RESULT: [value[RESULT], 1]}, value) == 0
    others = (
        *(Exact(lambda: 1), Text(lambda: "a"), Prints(lambda: "a"), Raises(lambda: 1)),
        *(Property(lambda got: sorted(got) == 1), Table(lambda: FRAME.head(3))),
    )
    for check in others:
        assert in_time(check, value, {RESULT: raised(1) if isinstance(check, Raises) else 1}) == 0
    assert in_time(Raises(lambda: 1), {RESULT: raised(value[RESULT])}, {RESULT: raised(2)}) == 0


@pytest.mark.parametrize("rows", ["in order", "any order"])
def test_a_large_table_is_judged_in_time(rows: Any) -> None:
    """Its rows in order, turned round, and with one cell that differs."""
    check = Table(lambda: FRAME, rows=rows)
    turned, wrong = FRAME[::-1], FRAME.assign(a=[*FRAME["a"][1:], -1])
    right = {RESULT: data.read(FRAME)}
    assert in_time(check, across(right), right) == 1
    assert in_time(check, across({RESULT: data.read(turned)}), right) == (rows == "any order")
    assert in_time(check, across({RESULT: data.read(wrong)}), right) == 0
