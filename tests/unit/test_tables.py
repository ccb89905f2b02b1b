"""values and data: tables, series, dates and categories, as inputs and as answers."""

import datetime
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from autograder.values import Refused, watched

NAN = float("nan")
INDICES: dict[str, Callable[[int], Any]] = {
    "none": lambda n: pd.RangeIndex(n),
    "twice": lambda n: pd.Index([0] * n),
    "numbers with NaN": lambda n: pd.Index([NAN, 1.5, NAN, 2.5][:n]),
    "texts": lambda n: pd.Index(["\u00e9", "\u05d0", "a", "a"][:n], name="\u540d"),
    "dates": lambda n: pd.DatetimeIndex(["2026-01-02", None, "2026-01-04", "2026-01-04"][:n]),
    "levels": lambda n: pd.MultiIndex.from_arrays([["a", "a", None, "b"][:n], [1, 1, 2, 2][:n]], names=["x", None]),
    "categories": lambda n: pd.CategoricalIndex(["a", "b", "a", None][:n]),
    "periods": lambda n: pd.period_range("2026-01", periods=n, freq="M"),
}  # fmt: skip
COLUMNS: dict[str, Callable[[], Any]] = {
    "numbers": lambda: [1.0, NAN, 3.0, -0.0],
    "whole": lambda: [1, 2, 3, 4],
    "nullable": lambda: pd.array([1, None, 3, 4], dtype="Int64"),
    "texts": lambda: ["a", None, "\u05d0", "\U0001f600"],
    "truth": lambda: [True, False, True, True],
    "truth or missing": lambda: pd.array([True, None, False, None], dtype="boolean"),
    "objects": lambda: pd.Series([None, NAN, pd.NA, pd.NaT], dtype=object).array,
    "lists": lambda: pd.Series([[1], [NAN], {"a": 1}, None], dtype=object).array,
    "dates": lambda: pd.to_datetime(["2026-01-02", None, "2026-01-04", "2026-01-04"]).array,
    "zoned": lambda: pd.to_datetime(["2026-01-02", None, "2026-07-04", "2026-01-04"]).tz_localize("Europe/Berlin").array,
    "durations": lambda: pd.to_timedelta([1, None, 3, 4], unit="s").array,
    "days": lambda: pd.Series([datetime.date(2026, 1, 2), None] * 2, dtype=object).array,
    "categories": lambda: pd.Categorical(["b", None, "a", "b"], categories=["b", "c", "a"], ordered=True),
    "intervals": lambda: pd.cut([1, 2, 3, 4], 2),
}  # fmt: skip
EVERY = [(index, column) for index in INDICES for column in COLUMNS]


def table(index: str, column: str) -> Any:
    return pd.DataFrame({"value": COLUMNS[column](), "n": range(4)}, index=INDICES[index](4))


@pytest.mark.parametrize(("index", "column"), EVERY)
@pytest.mark.parametrize("of", [lambda t: t, lambda t: t["value"], lambda t: {"a": [t]}])
def test_what_is_left_alone_is_no_change(index: str, column: str, of: Callable[[Any], Any]) -> None:
    """Of whatever a table's cells and its index are."""
    given = of(table(index, column))
    assert watched(lambda item: 3)(given) == 3


def _set_cell(t: Any) -> None:
    t.iloc[0, 1] = 9


CHANGES: dict[str, Callable[[Any], Any]] = {
    "t['n']": _set_cell,
    "t['value']": lambda t: t.isetitem(0, t["n"] > 1e9),
    "t.columns": lambda t: t.insert(0, "more", 1),
    "t.index": lambda t: setattr(t, "index", range(1, 5)),
}


@pytest.mark.parametrize("place", CHANGES)
@pytest.mark.parametrize("index", INDICES)
def test_what_is_changed_is_named(index: str, place: str) -> None:
    """With its column, or the index."""
    for column in COLUMNS:
        with pytest.raises(Refused) as caught:
            watched(CHANGES[place], "f")(t=table(index, column))
        assert str(caught.value) == f"`f` changes `{place}`, which it is given: work on a copy."


@pytest.mark.parametrize(
    ("item", "change"),
    [
        (pd.Series([1.0, NAN]), lambda x: x.fillna(0, inplace=True)),
        (pd.Series([[1], [2]]), lambda x: x[0].append(2)),
        (pd.Series([1, 2], name="a"), lambda x: setattr(x, "name", "b")),
        (pd.Series([1, 2]), lambda x: setattr(x.index, "name", "b")),
        (pd.DataFrame({"a": [2, 1]}), lambda x: x.isetitem(0, [1, 2])),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), lambda x: x.isetitem(1, [3])),
        ([None, 1], lambda x: x.__setitem__(0, 2)),
        ([datetime.date(2026, 1, 2)], lambda x: x.__setitem__(0, datetime.date(2026, 1, 3))),
        ({"a": np.float32(1)}, lambda x: x.update(a=np.float32(2))),
        (np.array([[1], None], dtype=object), lambda x: x[0].append(1)),
        ([[1]], lambda x: x.__setitem__(0, None)),
    ],
)
def test_a_small_change_is_noticed(item: Any, change: Callable[[Any], Any]) -> None:
    """In a cell, a name, an order, or in the place of something else."""
    with pytest.raises(Refused, match="changes `argument 1"):
        watched(lambda *given: change(*given))(item)


@pytest.mark.parametrize(
    "item",
    [
        [NAN, np.float64(NAN), None, pd.NA, pd.NaT, np.datetime64("NaT")],
        np.array([NAN, None, pd.NA, [NAN], np.ones(2)], dtype=object),
        np.array(["2026-01-02", "NaT"], dtype="datetime64[ns]"),
        {NAN: {1, 2}, (1, 2): object()},
        np.array([1 + NAN * 1j]),
    ],
)
def test_other_values_are_left_alone(item: Any) -> None:
    """NaN of all kinds, objects, and what cannot be compared."""
    assert watched(lambda item: 3)(item) == 3


@pytest.mark.parametrize("rows", [20_000, 100_000])
def test_a_large_table_takes_no_time(rows: int) -> None:
    """With an index that has each name many times."""
    large = pd.DataFrame(
        {"a": np.full(rows, NAN), "b": ["x"] * rows, "o": pd.Series([None] * rows, dtype=object)}
    ).set_index(np.zeros(rows, int))
    started = time.process_time()
    assert watched(lambda item: len(item))(large) == rows
    assert time.process_time() - started < 0.5
