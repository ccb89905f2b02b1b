"""Tables, series and dates as plain data, and back: `data` takes them across the trust line.

A notebook that checks tables has this text in its cell `table_tool`, where `autograder release` puts it.
"""

import contextlib
import datetime
import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Read = Callable[[Any], Any]
Form = Literal["table", "series", "index", "scalar"]
PLAIN_DTYPES = "biuf"
DTYPES = re.compile(
    r"bool|boolean|object|str|string|category|U?[iI]nt\d+|uint\d+|[fF]loat\d+|period\[[\w-]+\]"
    r"|(datetime|timedelta)64\[\w+(, [\w/+:-]+)?\]"
)
"""What a column is made again with; a reply may name any other, and of any size."""
ZONED = "dates with a time zone"
COLUMN_KINDS = {
    "truth values": ("boolean",),
    "whole numbers": ("integer",),
    "numbers": ("floating", "mixed-integer-float", "decimal"),
    "dates": ("datetime", "datetime64", "date"),
    "durations": ("timedelta", "timedelta64"),
    "periods": ("period",),
    "text": ("string", "empty"),
}
"""What a column has, and what pandas calls it."""


@dataclass(frozen=True)
class Frame:
    """The contents of a pandas table.

    Args:
        columns: Their names, in order.
        kinds: What each holds, whatever its dtype: "whole numbers", "numbers", "text", "truth
            values", "dates", "dates with a time zone", "durations", "periods", "objects", or
            "categories of" these.
        values: One tuple per column; None where a value is missing, a moment as ISO 8601.
        index: The rows' names.
        names: What each level of the index is called.
        dtypes: What pandas needs to recreate each column, and then each level of the index: a
            dtype by its name, or a tuple of the categories, their dtype, and whether they are ordered.
        form: What it was: a table, a Series or an Index, or a single moment, duration or period.
        levels: What each level of the index holds, in the words of `kinds`.
    """

    columns: tuple[Any, ...]
    kinds: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    index: tuple[Any, ...]
    names: tuple[Any, ...] = field(default=(), compare=False)
    dtypes: tuple[Any, ...] = field(default=(), compare=False)
    form: Form = field(default="table", compare=False)
    levels: tuple[str, ...] = field(default=(), compare=False)


def frame_of(pandas: Any, item: Any, read: Read) -> Frame | None:
    """Return what a pandas table, Series, Index or scalar holds; None for anything else.

    Args:
        pandas: The module.
        item: Any object.
        read: Returns plain data for what is in a cell.
    """
    form: Form = "table"
    if isinstance(item, pandas.Timestamp | pandas.Timedelta | pandas.Period):
        form, item = "scalar", pandas.Series([item])
    if isinstance(item, pandas.Index):
        form, item = "index", pandas.DataFrame(index=item)
    if isinstance(item, pandas.Series):
        form, item = "series" if form == "table" else form, item.to_frame(item.name)
    if not isinstance(item, pandas.DataFrame):
        return None
    columns = [item.iloc[:, place] for place in range(item.shape[1])]  # names may come twice
    levels = [item.index.get_level_values(n) for n in range(item.index.nlevels)]
    return Frame(
        tuple(cells_of(pandas, item.columns, read)),
        tuple(_kind(pandas, column) for column in columns),
        tuple(tuple(cells_of(pandas, column, read)) for column in columns),
        tuple(cells_of(pandas, item.index, read)),
        tuple(cells_of(pandas, np.array([*item.index.names, None], dtype=object)[:-1], read)),
        tuple(_dtype(pandas, one.dtype, read) for one in (*columns, *levels)),
        form,
        tuple(_kind(pandas, level) for level in levels),
    )


def cells_of(pandas: Any, column: Any, read: Read) -> list[Any]:
    """Return what is in the cells of a column or an index, None where a value is missing."""
    if isinstance(column, pandas.MultiIndex):
        levels = [cells_of(pandas, column.get_level_values(n), read) for n in range(column.nlevels)]
        return [tuple(parts) for parts in zip(*levels, strict=True)]
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in PLAIN_DTYPES:
        return [None if one != one else one for one in column.tolist()]
    texts = pandas.Timestamp | pandas.Timedelta | pandas.Period | pandas.Interval
    return [
        None if lost else str(one) if isinstance(one, texts) else read(one)
        for one, lost in zip(column, np.asarray(pandas.isna(column)).tolist(), strict=True)
    ]


def _kind(pandas: Any, column: Any) -> str:
    if isinstance(column.dtype, pandas.CategoricalDtype):
        return f"categories of {_kind(pandas, column.dtype.categories)}"
    called = pandas.api.types.infer_dtype(column, skipna=True)
    kind = next((kind for kind, names in COLUMN_KINDS.items() if called in names), "objects")
    zoned = getattr(column.dtype, "tz", None) or (
        column.dtype == object and any(getattr(one, "tzinfo", None) for one in column)
    )
    return ZONED if kind == "dates" and zoned else kind


def _dtype(pandas: Any, dtype: Any, read: Read) -> Any:
    if not isinstance(dtype, pandas.CategoricalDtype):
        return str(dtype)
    inner = dtype.categories
    return (
        tuple(cells_of(pandas, inner, read)),
        _dtype(pandas, inner.dtype, read),
        bool(dtype.ordered),
    )


def moment_as_text(item: Any) -> str | None:
    """Return a date, a time or a duration as text, as pandas writes it; None for anything else."""
    if isinstance(item, np.datetime64 | np.timedelta64):
        fine = isinstance(item.item(), int)  # finer than Python's own
        item = item.astype(f"{item.dtype.kind}8[us]").item() if fine else item.item()
    if isinstance(item, datetime.timedelta) and not hasattr(item, "nanoseconds"):
        clock = datetime.timedelta(seconds=item.seconds, microseconds=item.microseconds)
        zero, sign = "0" * (clock < datetime.timedelta(hours=10)), "+" * (item.days < 0)
        return f"{item.days} days {sign}{zero}{clock}"
    moments = datetime.date | datetime.time | datetime.timedelta
    return str(item) if isinstance(item, moments) else None


def to_pandas(table: Frame) -> Any:
    """Return a pandas table, or a Series or other form if it was one; this needs pandas."""
    pandas = importlib.import_module("pandas")  # a course that has tables has it
    number = len(table.columns)
    dtypes = table.dtypes or (*map(_usual, table.kinds, table.values), "")
    columns = {
        place: _column(pandas, values, dtype)
        for place, (values, dtype) in enumerate(zip(table.values, dtypes, strict=False))
    }
    index = _index(pandas, table.index, table.names or (None,), dtypes[number:])
    made = pandas.DataFrame(columns, index=range(len(table.index)))
    made.index = index
    made.columns = list(table.columns)
    match table.form:
        case "index":
            return index
        case "series" | "scalar":
            one = made.iloc[:, 0]
            return one if table.form == "series" else one.iloc[0]
    return made


def _index(pandas: Any, rows: Sequence[Any], names: Sequence[Any], dtypes: Sequence[Any]) -> Any:
    if len(names) == 1:
        plain = not dtypes or dtypes[0] in ("", "int64")
        if plain and list(rows) == list(range(len(rows))):
            return pandas.RangeIndex(len(rows), name=names[0])
        return pandas.Index(_column(pandas, rows, (*dtypes, "")[0]), name=names[0])
    levels = [[row[n] for row in rows] for n in range(len(names))]
    parts = [_column(pandas, level, dtype) for level, dtype in zip(levels, dtypes, strict=True)]
    return pandas.MultiIndex.from_arrays(parts, names=list(names))


def _column(pandas: Any, values: Sequence[Any], dtype: Any) -> Any:
    """Return a Series of a dtype, or of objects if the values do not fit it."""
    whole = pandas.Series(list(values), dtype=object)
    if isinstance(dtype, tuple) and len(dtype) == 3:
        categories, inner, ordered = dtype
        places = {one: place for place, one in enumerate(categories)}
        codes = [-1 if one is None else places[one] for one in values]
        known = pandas.Index(_column(pandas, categories, inner))
        return pandas.Series(pandas.Categorical.from_codes(codes, known, ordered=ordered))
    if not isinstance(dtype, str) or not DTYPES.fullmatch(dtype):
        return whole.infer_objects()
    with contextlib.suppress(TypeError, ValueError):
        if dtype.startswith("datetime64"):
            zoned = "," in dtype
            return pandas.to_datetime(whole, utc=zoned, format="ISO8601").astype(dtype)
        if dtype.startswith("timedelta64"):
            return pandas.to_timedelta(whole).astype(dtype)
        return whole.astype(dtype)
    return whole


def _usual(kind: str, values: Sequence[Any]) -> str:
    """Return the dtype of a column of which only the kind is known."""
    lost = None in values
    if kind.startswith("categories"):
        return "category"
    words = {
        "truth values": "boolean" if lost else "bool",
        "whole numbers": "Int64" if lost else "int64",
    }
    more = {"numbers": "float64", "dates": "datetime64[us]", "durations": "timedelta64[us]"}
    return (words | more).get(kind, "")
