"""What crosses the trust line: arrays and plain data, read from any object, and as strict JSON.

Plain data are None, truth values, numbers, text, lists, tuples, sets and dicts of these, arrays,
and the tables of pandas as `Frame`s. An array of float64 or int64 has a form of its own, since
most values are one.
"""

import contextlib
import datetime
import importlib
import math
import numbers
import sys
from collections.abc import ItemsView, Iterable, KeysView, Mapping, ValuesView
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.model import Array, UserError, Value
from autograder.values import Refused, plain

MAX_DIMENSIONS = 8
MAX_ELEMENTS = 200_000
"""Of an array, where one without any is counted as if its axes of size 0 had size 1; of plain data."""
MAX_DEPTH = 50
MAX_DIGITS = 1_000
"""Of a whole number."""
_DTYPES = {"float64": float, "int64": int}
_NAMES = {np.dtype(name): name for name in _DTYPES}  # numpy makes a name anew whenever it is asked


@dataclass(frozen=True)
class Frame:
    """What a table of pandas holds.

    Args:
        columns: Their names, in order.
        kinds: What each holds: "whole numbers", "numbers", "text", "truth values", "moments",
            "categories" or "objects", whatever their sizes in bits.
        values: One tuple a column; None where a value is missing, a moment as ISO 8601.
        index: The rows' names.
    """

    columns: tuple[Any, ...]
    kinds: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    index: tuple[Any, ...]


def read(item: Any, name: str = "it") -> Any:
    """Return plain data for what an answer returned.

    Numbers of NumPy, fractions and decimals become Python's, tensors become arrays, dates text.

    Args:
        item: Any object.
        name: What a message calls it.

    Raises:
        Refused: it is something else, too large, or nested too deeply.
    """
    return _Reader(name).read(item, 0)


class _Reader:
    """Reads one value, and counts what it holds."""

    def __init__(self, name: str) -> None:
        self._name, self._left = name, MAX_ELEMENTS

    def read(self, item: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0:
            raise Refused(f"{self._name} contains more than {MAX_ELEMENTS:,} things.")
        if depth > MAX_DEPTH:
            raise Refused(f"{self._name} is nested more than {MAX_DEPTH} deep.")
        if item is None or type(item) in (bool, str, float):
            return item
        if _is_tensor(item) or isinstance(item, np.ndarray):
            return self._array(item, depth)
        if isinstance(item, bool | np.bool_):
            return bool(item)
        if isinstance(item, numbers.Integral):
            return self._whole(int(item))
        if isinstance(item, numbers.Real) or type(item).__name__ == "Decimal":
            return float(item)
        if isinstance(item, str):
            return str.__str__(item)
        if (pandas := sys.modules.get("pandas")) and (
            found := _of_pandas(pandas, item, lambda part: self.read(part, depth + 1))
        ):
            return found[0]
        if isinstance(item, datetime.date | datetime.time):
            return item.isoformat()
        return self._several(item, depth + 1)

    def _several(self, item: Any, depth: int) -> Any:
        if isinstance(item, Mapping):
            return {self._key(key): self.read(part, depth) for key, part in item.items()}
        if isinstance(item, tuple | list | set | frozenset):
            parts = [self.read(part, depth) for part in item]
            if isinstance(item, list):
                return parts
            return tuple(parts) if isinstance(item, tuple) else _set(parts)
        if isinstance(item, range | KeysView | ValuesView | ItemsView):
            return [self.read(part, depth) for part in item]
        kind_of = type(item).__name__
        if hasattr(item, "__next__"):
            raise Refused(f"{self._name} is a {kind_of}, which is used up by looking: make a list.")
        raise Refused(
            f"{self._name} is or contains a {kind_of}: return numbers, text, lists, dicts or tables."
        )

    def _key(self, key: Any) -> Any:
        found = self.read(key, MAX_DEPTH - 5)
        with contextlib.suppress(TypeError):
            hash(found)
            return found
        raise Refused(f"{self._name} is a dict with a {type(key).__name__} as a key.")

    def _array(self, item: Any, depth: int) -> Any:
        if item.ndim == 0:
            return self.read(item.item(), depth + 1)
        if not _is_tensor(item) and item.dtype.kind not in "biufc":  # of text, or of anything
            return self.read(item.tolist(), depth + 1)
        found = plain(item, self._name)
        self._left -= found.size
        return found

    def _whole(self, number: int) -> int:
        if number.bit_length() > MAX_DIGITS * math.log2(10):
            raise Refused(
                f"{self._name} is or contains a number of more than {MAX_DIGITS:,} digits."
            )
        return number


def _is_tensor(item: Any) -> bool:
    torch = sys.modules.get("torch")  # where nobody imported it there is no tensor
    return torch is not None and isinstance(item, torch.Tensor)


def _set(parts: Iterable[Any]) -> frozenset[Any]:
    return frozenset(tuple(part) if isinstance(part, list) else part for part in parts)


def _of_pandas(pandas: Any, item: Any, read_one: Any) -> tuple[Any] | None:
    """Return what an object of pandas holds, alone in a tuple; None for anything else."""
    if item is pandas.NA or item is pandas.NaT:
        return (None,)
    if isinstance(item, pandas.Timestamp | pandas.Timedelta | pandas.Period):
        return (str(item),)
    if isinstance(item, pandas.Index):
        return ([_cell(pandas, part, read_one) for part in item],)
    if isinstance(item, pandas.Series):
        item = item.to_frame()
    if not isinstance(item, pandas.DataFrame):
        return None
    places = range(item.shape[1])
    columns = [item.iloc[:, place] for place in places]  # names may come twice
    return (
        Frame(
            tuple(_cell(pandas, name, read_one) for name in item.columns),
            tuple(_kind(pandas, column) for column in columns),
            tuple(tuple(_cell(pandas, one, read_one) for one in column) for column in columns),
            tuple(_cell(pandas, one, read_one) for one in item.index),
        ),
    )


def _cell(pandas: Any, item: Any, read_one: Any) -> Any:
    """Return one cell of a table, None where a value is missing."""
    missing = pandas.api.types.is_scalar(item) and pandas.isna(item)
    return None if missing else read_one(item)


def _kind(pandas: Any, column: Any) -> str:
    types = pandas.api.types
    if isinstance(column.dtype, pandas.CategoricalDtype):
        return "categories"
    for kind, fits in (
        ("truth values", types.is_bool_dtype),
        ("whole numbers", types.is_integer_dtype),
        ("numbers", types.is_float_dtype),
        ("moments", types.is_datetime64_any_dtype),
    ):
        if fits(column.dtype):
            return kind
    found = types.infer_dtype(column, skipna=True)
    return "text" if found in ("string", "empty") else "objects"


def encode_array(array: Array) -> dict[str, Any]:
    """Return a finite float64 or int64 array as dtype, shape and flat row-major values."""
    return {
        "dtype": _NAMES.get(array.dtype) or str(array.dtype),
        "shape": list(array.shape),
        "values": array.reshape(-1).tolist(),
    }


def decode_array(data: Mapping[str, Any]) -> Array:
    """Return the array that `encode_array` wrote; UserError when it is anything else."""
    if set(data) != {"dtype", "shape", "values"} or data["dtype"] not in tuple(_DTYPES):
        raise UserError("an array needs dtype (float64 or int64), shape and values")
    shape, values, kind = data["shape"], data["values"], _DTYPES[data["dtype"]]
    if not (isinstance(shape, list) and isinstance(values, list) and len(shape) <= MAX_DIMENSIONS):
        raise UserError("an array's shape and values are lists")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise UserError("an array's shape is a list of sizes")
    if math.prod(max(size, 1) for size in shape) > MAX_ELEMENTS:
        raise UserError(f"an array has at most {MAX_ELEMENTS:,} numbers")
    if math.prod(shape) != len(values):
        raise UserError(f"an array of shape {tuple(shape)} does not fit {len(values)} values")
    if not all(type(value) is kind for value in values):
        raise UserError(f"an array of {data['dtype']} has something else in it")
    try:
        array = np.array(values, dtype=data["dtype"]).reshape(shape)
    except (OverflowError, ValueError) as error:
        raise UserError(f"an array's values do not fit {data['dtype']}") from error
    if not np.isfinite(array).all():
        raise UserError("an array's values are not finite")
    return array


_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def encode(item: Any) -> Any:
    """Return plain data as JSON: what JSON has not is an object whose one key tells what it is."""
    if isinstance(item, float) and not math.isfinite(item):
        return {"number": str(item)}
    if isinstance(item, list):
        return [encode(part) for part in item]
    if isinstance(item, tuple):
        return {"tuple": [encode(part) for part in item]}
    if isinstance(item, frozenset | set):
        return {"set": sorted((encode(part) for part in item), key=str)}
    if isinstance(item, dict):
        return {"dict": [[encode(key), encode(part)] for key, part in item.items()]}
    if isinstance(item, np.ndarray):
        return {"array": encode_array(item)}
    if isinstance(item, Frame):
        parts = (item.columns, item.kinds, item.values, item.index)
        return {"table": [encode(part) for part in parts]}
    return item


def decode(item: Any, depth: int = 0) -> Any:
    """Return what `encode` wrote; UserError when it is anything else.

    Args:
        item: JSON.
        depth: How deep this part is.
    """
    if depth > MAX_DEPTH + 1:
        raise UserError(f"plain data are nested no more than {MAX_DEPTH} deep")
    if isinstance(item, list):
        return [decode(part, depth + 1) for part in item]
    if isinstance(item, str):
        return _writable(item)
    if not isinstance(item, dict):
        return item
    if len(item) != 1:
        raise UserError("plain data are objects with one key")
    ((kind, content),) = item.items()
    if kind == "number" and isinstance(content, str) and content in _NUMBERS:
        return _NUMBERS[content]
    if kind == "array" and isinstance(content, dict):
        return decode_array(content)
    if isinstance(content, list):
        try:
            return _decoded(kind, [decode(part, depth + 1) for part in content])
        except (TypeError, ValueError) as error:
            raise UserError(
                f"plain data of the kind {kind!r:.40} have something else in them"
            ) from error
    raise UserError(f"there are no plain data of the kind {kind!r:.40}")


def _writable(text: str) -> str:
    """Return text that a log can have: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def _decoded(kind: str, content: list[Any]) -> Any:
    match kind:
        case "tuple":
            return tuple(content)
        case "set":
            return frozenset(content)
        case "dict":
            return dict(content)
        case "table":
            return _frame(*content)
    raise ValueError(kind)


def _frame(columns: Any, kinds: Any, values: Any, index: Any) -> Frame:
    if not all(isinstance(part, tuple) for part in (columns, kinds, values, index)):
        raise TypeError("a table's parts are tuples")
    if not len(columns) == len(kinds) == len(values):
        raise ValueError("a table has columns without names, kinds or values")
    if not all(isinstance(one, tuple) and len(one) == len(index) for one in values):
        raise ValueError("a table's columns have other lengths than its index")
    if not all(isinstance(kind, str) for kind in kinds):
        raise TypeError("a table's kinds are words")
    hash(columns)  # TypeError where a name is none
    return Frame(columns, kinds, values, index)


def encode_value(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs or a value as JSON: arrays and text by name, and what else there is as data."""
    return {
        name: encode_array(item)
        if isinstance(item, np.ndarray)
        else item
        if isinstance(item, str)
        else {"data": encode(item)}
        for name, item in value.items()
    }


def encode_inputs(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case's inputs as JSON; Refused where one is neither an array nor plain data."""
    arrays = {name: item for name, item in case.items() if isinstance(item, np.ndarray)}
    return encode_value(
        {name: arrays[name] if name in arrays else read(item, name) for name, item in case.items()}
    )


def decode_value(value: Any) -> Value:
    """Return what `encode_value` wrote; UserError when it is anything else."""
    if not isinstance(value, dict):
        raise UserError("a value is an object of arrays by name")
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = _writable(key)
        if isinstance(item, str):
            found[name] = _writable(item)
        elif isinstance(item, dict):
            found[name] = decode(item["data"]) if set(item) == {"data"} else decode_array(item)
        else:
            raise UserError(f"the value {name!r:.80} is neither an array nor text")
    return found


_DTYPE_OF = {"truth values": "bool", "whole numbers": "int64", "numbers": "float64"}
_WITH_MISSING = {"bool": "boolean", "int64": "Int64"}


def to_pandas(frame: Frame) -> Any:
    """Return a table of pandas, which has to be installed."""
    pandas = importlib.import_module("pandas")  # a course that has tables has it
    columns = {}
    for place, (kind, values) in enumerate(zip(frame.kinds, frame.values, strict=True)):
        column = pandas.Series(list(values), index=list(frame.index), dtype=object)
        if dtype := _DTYPE_OF.get(kind):
            column = column.astype(_WITH_MISSING.get(dtype, dtype) if None in values else dtype)
        elif kind == "moments":
            column = pandas.to_datetime(column)
        elif kind == "categories":
            column = column.astype("category")
        else:
            column = column.infer_objects()
        columns[place] = column
    table = pandas.DataFrame(columns, index=list(frame.index))
    table.columns = list(frame.columns)
    return table
