"""Compare a table with the right one: names first, then types, then values.

The hidden check `Table` uses this text, and so does the visible check made from `shown`; its
notebook has a copy in the cell `table_tool`. No message quotes the right values.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from autograder.kit.notebook.plain_data import as_plain, comparable, unlike
from autograder.records.tables import Frame, frame_of, moment_as_text

DIGITS_OF_A_DATE = 10
TOO_LARGE = 1e300
"""Larger whole numbers may not fit into a float."""


def as_table(item: Any) -> Any:
    """Return the contents of a pandas table or Series, and anything else as plain data."""
    found = frame_of(sys.modules["pandas"], item, _cell)
    return found if found and found.form in ("table", "series") else as_plain(item)


def _cell(item: Any) -> Any:
    text = moment_as_text(item)
    return as_plain(item) if text is None else text


def unlike_table(
    got: Any,
    right: Any,
    *,
    tolerance: float,
    rows: str = "in order",
    columns: str = "in order",
    index: bool = False,
    kinds: bool = False,
) -> str:
    """Describe the first difference between tables in a sentence; "" if there is none.

    Args:
        got: A student's table, from `as_table`.
        right: The reference's.
        tolerance: For numbers, absolute plus relative.
        rows: "in order" or "any order".
        columns: The same.
        index: Whether the rows' names count.
        kinds: Whether types count: whole numbers or floats, categories or plain values.
    """
    if not (isinstance(got, Frame) and isinstance(right, Frame)):
        return unlike(got, right)
    return (
        _unlike_names(got, right, columns == "in order")
        or _unlike_kinds(got, right, index, kinds)
        or _unlike_values(got, right, tolerance, rows == "in order", index)
    )


def _unlike_names(got: Frame, right: Frame, in_order: bool) -> str:
    lacking = {comparable(name) for name in right.columns} - {*map(comparable, got.columns)}
    levels = [name for name in got.names if name is not None and comparable(name) in lacking]
    if levels:
        names = ", ".join(map(repr, levels))
        return (
            f"{names} {'is' if len(levels) == 1 else 'are'} the index of the table, and should be "
            f"{'a column' if len(levels) == 1 else 'columns'}: is a `reset_index()` missing?"
        )
    if len(got.index) != len(right.index):
        rows = f"{len(got.index)} row{'s' * (len(got.index) != 1)}"
        return f"the table has {rows}, and should have {len(right.index)}."
    mine, theirs = ([*map(comparable, one.columns)] for one in (got, right))
    if Counter(mine) != Counter(theirs):
        missing = (Counter(theirs) - Counter(mine)).total()
        known = frozenset(theirs)
        extra = [name for name in got.columns if comparable(name) not in known]
        more = f"; {extra[0]!r} does not belong there" if extra else ""
        columns = f"{len(got.columns)} column{'s' * (len(got.columns) != 1)}"
        return (
            f"the table has {columns}, and lacks {missing} of the {len(right.columns)} that "
            f"belong there{more}."
        )
    return "the table has the right columns in a different order." * (in_order and mine != theirs)


def _unlike_kinds(got: Frame, right: Frame, index: bool, kinds: bool) -> str:
    mine, theirs = places_of(got), places_of(right)
    columns = [
        (f"the column {right.columns[place]!r}", [(f.kinds[at], f.values[at]) for f, at in sides])
        for key, place in theirs.items()
        for sides in [((got, mine[key]), (right, place))]
    ]
    if index:
        levels = zip(got.levels, right.levels)  # noqa: B905
        columns += [("the index", [(kind, got.index) for kind in pair]) for pair in levels]
    for name, ((kind, values), (due, others)) in columns:
        filled = all(any(one is not None for one in some) for some in (values, others))
        if kind != due and len(others) and (kinds or (filled and not _alike(kind, due))):
            return f"{name} has {kind}, and should have {due}."
    return ""


def _alike(kind: str, due: str) -> bool:
    """Return whether values of two kinds may be equal, whole or not, and as categories or not."""
    plain = [one.removeprefix("categories of ").removeprefix("whole ") for one in (kind, due)]
    return plain[0] == plain[1] or "objects" in plain


def _unlike_values(got: Frame, right: Frame, tolerance: float, in_order: bool, index: bool) -> str:
    places = places_of(right)
    mine, theirs = (_rows_of(frame, places, in_order, index) for frame in (got, right))

    def far(one: Sequence[Any], other: Sequence[Any]) -> bool:
        return bool(unlike(list(one), list(other), tolerance=tolerance))

    wrong = [n for n, pair in enumerate(zip(mine, theirs)) if far(*pair)]  # noqa: B905
    if not wrong:
        return ""
    if not in_order:  # a row that is wrong moves others, and none can be named
        return "the table does not have the right rows."
    moved = zip(sorted(mine, key=_sorted_by), sorted(theirs, key=_sorted_by))  # noqa: B905
    if not any(far(*pair) for pair in moved):
        return "the table has the right rows in a different order."
    columns = [
        name
        for place, name in enumerate(right.columns)
        if any(far(mine[n][place : place + 1], theirs[n][place : place + 1]) for n in wrong)
    ]
    where = f"the column {columns[0]!r}" if len(columns) == 1 else f"{len(columns)} columns"
    where = where if columns else "the index"
    are = "is" if len(wrong) == 1 else "are"
    return f"{len(wrong)} of the {len(theirs)} rows {are} not right, in {where}."


def places_of(frame: Frame) -> dict[tuple[Any, int], int]:
    """Return each column's position, by its name and the number of columns before it with that name."""
    names = [comparable(name) for name in frame.columns]
    return {(name, names[:place].count(name)): place for place, name in enumerate(names)}


def _rows_of(
    frame: Frame, keys: Iterable[Any], in_order: bool, index: bool
) -> list[tuple[Any, ...]]:
    places = places_of(frame)
    columns = [
        _with_times(frame.kinds[at], frame.values[at]) for at in map(places.__getitem__, keys)
    ]
    columns += [frame.index] * index
    rows = list(zip(*columns)) if columns else []  # noqa: B905
    return rows if in_order else sorted(rows, key=_sorted_by)


def _with_times(kind: str, values: Sequence[Any]) -> Sequence[Any]:
    """Return the values of a column; a date without a time becomes midnight."""
    if not kind.removeprefix("categories of ").startswith("dates"):
        return values
    short = [isinstance(one, str) and len(one) == DIGITS_OF_A_DATE for one in values]
    return [f"{one} 00:00:00" if s else one for one, s in zip(values, short)]  # noqa: B905


def _sorted_by(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return a key to sort rows: rounded numbers first, as exact ones may differ by rounding."""
    few = [
        f"{item:.6g}" if isinstance(item, int | float) and abs(item) < TOO_LARGE else str(item)
        for item in row
    ]
    return few, [*map(repr, row)]
