"""values and data: tables, series, dates and categories, as inputs and as answers."""

import cProfile
import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as given_some
from hypothesis import settings
from hypothesis import strategies as st

from autograder.kit import Exact, Table
from autograder.records import codec, data
from autograder.records.questions import RESULT
from autograder.records.tables import Frame, to_pandas
from autograder.records.values import Refused, watched
from tests.plain_data import across

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
    """This holds for any contents of a table's cells and index."""
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
    """The name is the column's or the index's."""
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
        ({1, 2}, lambda x: x.discard(1)),
        (np.array([[1], None], dtype=object), lambda x: x[0].append(1)),
        ([[1]], lambda x: x.__setitem__(0, None)),
    ],
)
def test_a_small_change_is_noticed(item: Any, change: Callable[[Any], Any]) -> None:
    """The change may be in a cell, a name, an order or a type."""
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
    """This covers all kinds of NaN, objects, and values that cannot be compared."""
    assert watched(lambda item: 3)(item) == 3


@pytest.mark.parametrize(("objects", "growth"), [(False, 1), (True, 10)])
def test_a_large_table_is_walked_once_at_most(objects: bool, growth: int) -> None:
    """Only objects are visited one by one, even if an index repeats each name many times."""

    def calls(rows: int) -> int:
        large = pd.DataFrame({"a": np.full(rows, NAN), "b": ["x"] * rows}, np.zeros(rows, int))
        if objects:
            large["o"] = pd.Series([None] * rows, dtype=object).array
        counted = cProfile.Profile(builtins=False)
        assert counted.runcall(watched(lambda item: len(item)), large) == rows
        return sum(entry.callcount for entry in counted.getstats())

    few = min(calls(2_000) for _ in range(2))  # the first imports some of pandas
    assert calls(20_000) < 1.1 * growth * few


def given(item: Any) -> Any:
    """Return an answer's version of an input."""
    return data.decode_inputs(codec.loads(codec.dumps(data.encode_inputs({"x": item}))))["x"]


LOST = ("intervals", "objects")
"""Columns that arrive in a different form: intervals as text, missing objects as None."""


@pytest.mark.parametrize(("index", "column"), EVERY)
def test_a_table_arrives_as_it_was_drawn(index: str, column: str) -> None:
    """It keeps its index with names, dtypes, categories and time zones; so does each Series."""
    drawn = table(index, column)
    if column in LOST:
        drawn = drawn[["n"]]
    pd.testing.assert_frame_equal(given(drawn), drawn, check_index_type=False, check_freq=False)
    for one in drawn:
        pd.testing.assert_series_equal(
            given([{"a": drawn[one]}])[0]["a"], drawn[one], check_index_type=False, check_freq=False
        )


@pytest.mark.parametrize(
    "item",
    [
        pd.Index([1, 2], name="a"),
        pd.DatetimeIndex(["2026-01-02", None]),
        pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", "y"]),
        pd.Timestamp("2026-01-02", tz="Europe/Berlin"),
        pd.Timedelta(3, "s"),
        pd.Period("2026-01", "M"),
        datetime.date(2026, 1, 2),
        datetime.datetime(2026, 1, 2, 3, 4, 5, 6, datetime.UTC),
        datetime.timedelta(days=-1, seconds=3),
        Decimal("0.10"),
        Fraction(1, 3),
        {"a": {1, 2}},
        (1, "\u05d0\U0001f600"),
        np.array([1.0, NAN, np.inf]),
        np.array([True, False]),
        np.ones(3, np.float32),
        np.array([1 + 2j]),
        np.array(["a", "\u05d0"]),
        np.array(["2026-01-02", "NaT"], dtype="datetime64[D]"),
        np.array([[1, "a"], [None, 2.5]], dtype=object),
        np.zeros((0, 3), np.int8),
    ],
    ids=repr,
)
def test_an_input_arrives_as_it_was_drawn(item: Any) -> None:
    """It has the same type, and is equal."""
    found = given(item)
    assert type(found) is type(item)
    if isinstance(item, np.ndarray):
        assert found.dtype == item.dtype
        np.testing.assert_array_equal(found, item)
    elif isinstance(item, pd.Index):
        pd.testing.assert_index_equal(found, item)
    else:
        assert repr(found) == repr(item)


SAME = (
    (datetime.datetime(2026, 1, 2, 3), pd.Timestamp("2026-01-02 03:00"), np.datetime64("2026-01-02T03")),
    (datetime.date(2026, 1, 2), np.datetime64("2026-01-02")),
    (datetime.timedelta(1, 3), pd.Timedelta("1 day 3s"), np.timedelta64(86403, "s")),
    (None, pd.NA, pd.NaT, np.datetime64("NaT")),
    (["2026-01-02"], pd.Index(["2026-01-02"])),
    (pd.Interval(0, 1), "(0, 1]"),
)  # fmt: skip


@pytest.mark.parametrize("forms", SAME, ids=repr)
def test_equal_answers_pass_in_each_form(forms: tuple[Any, ...]) -> None:
    """A date is the same, whatever made it."""
    first, *others = (data.read(one) for one in forms)
    assert all(first == other for other in others)


@pytest.mark.parametrize("dtype", ["S1000000000", "a", 3, (), ((), "int64"), (("a",), 1, 2), None])
def test_a_forged_dtype_makes_a_column_of_objects_at_most(dtype: Any) -> None:
    """Whatever it is, nothing of its size is allocated."""
    forged = Frame(("a",), ("text",), (("x", None),), (0, 1), (None,), (dtype, dtype))
    try:
        made = to_pandas(across({RESULT: forged})[RESULT])
    except (KeyError, TypeError):
        return
    assert made["a"].isna().tolist() == [False, True]


CELLS = {
    "numbers": st.floats() | st.none(),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "texts": st.text(st.characters(exclude_categories=["Cs"])) | st.none(),
    "truth": st.booleans(),
    "dates": st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1)) | st.none(),
    "categories": st.sampled_from(["a", "\u05d0", None]),
}


@st.composite
def drawn_tables(draw: st.DrawFn) -> Any:
    """Draw a table with up to three columns, possibly with equal names, and any index."""
    rows = draw(st.integers(0, 4))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), max_size=3))
    columns = {}
    for place, kind in enumerate([*kinds, draw(st.sampled_from(sorted(CELLS)))]):
        cells = draw(st.lists(CELLS[kind], min_size=rows, max_size=rows))
        made = pd.Series(cells, dtype=None if rows else object)
        columns[place] = made.astype("category") if kind == "categories" else made
    made = pd.DataFrame(columns, index=range(rows))
    made = made.set_index(len(kinds)) if draw(st.booleans()) else made.drop(columns=len(kinds))
    made.index.name = draw(st.sampled_from([None, "\u540d", 3]))
    made.columns = draw(st.lists(st.sampled_from(["a", "\u540d", 1, ""]), min_size=len(kinds), max_size=len(kinds)))  # fmt: skip
    return made


@given_some(drawn_tables())
@settings(deadline=None)
def test_any_table_is_itself(drawn: Any) -> None:
    """Untouched, it is unchanged; as an input it arrives; as an answer it passes, in any order."""
    copy = drawn.copy()
    watched(lambda item: item.to_numpy())(drawn)
    arrived = given(drawn)
    assert data.read(arrived) == data.read(drawn) == data.read(copy)
    watched(lambda *items: None)(arrived)
    answer = across({RESULT: data.read(arrived)})
    turned = across({RESULT: data.read(drawn[::-1])})
    assert Table(lambda: drawn)({}, answer).fraction == 1
    assert Exact(lambda: drawn)({}, answer).fraction == 1
    assert Table(lambda: drawn, rows="any order", index=True)({}, turned).fraction == 1


@given_some(drawn_tables(), st.data())
@settings(deadline=None)
def test_any_change_is_noticed(drawn: Any, draws: st.DataObject) -> None:
    """It may be in any cell; both the watch on inputs and the check of an answer notice it."""
    if not drawn.size:
        return
    row, column = (draws.draw(st.integers(0, size - 1)) for size in drawn.shape)
    new = draws.draw(st.sampled_from([None, "other", 7.25]))
    old = drawn.iloc[row, column]
    if old is new or data.read(old) == new or (new is None and pd.isna(old)):
        return

    def change(item: Any) -> None:
        cells = item.iloc[:, column].astype(object).tolist()
        item.isetitem(column, pd.Series([*cells[:row], new, *cells[row + 1 :]], item.index, object))

    changed = drawn.copy()
    with pytest.raises(Refused, match="changes `argument 1"):
        watched(lambda *items: change(items[0]))(changed)
    for check in (Table(lambda: drawn), Exact(lambda: drawn)):
        assert check({}, across({RESULT: data.read(changed)})).fraction == 0
