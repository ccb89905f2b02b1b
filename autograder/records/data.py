"""Values that cross the trust line: arrays and plain data, read from any object, as strict JSON.

Plain data are None, booleans, numbers, text, lists, tuples, sets and dicts of these, arrays, and
pandas tables as `Frame`s. Arrays of float64 or int64 have a special form, since most values are
arrays.

Inputs, which are ours, arrive exactly as drawn, including dates, decimals, arrays of any kind,
tables and series with their index and dtypes, and numpy Generators with their state.
"""

import contextlib
import datetime
import math
import numbers
import sys
from collections import Counter
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from autograder.records import tables
from autograder.records.errors import UserError
from autograder.records.questions import Array, Value
from autograder.records.tables import Frame
from autograder.records.values import Refused, plain

MAX_DIMENSIONS = 8
MAX_ELEMENTS = 200_000
"""The most items in an array (axes of size 0 count as size 1) or in plain data."""
MOST_GIVEN = 5_000_000
"""The most items in an input, which we draw ourselves."""
MAX_DEPTH = 50
MAX_DIGITS = 1_000
"""The most digits of a whole number."""
MAX_COLLISIONS = 100
"""The most keys of a dict, or members of a set, with the same hash: more make it slow to build."""
_DTYPES = {"float64": float, "int64": int}
_NAMES = {np.dtype(name): name for name in _DTYPES}  # because numpy computes a name anew each time


def read(item: Any, name: str = "it") -> Any:
    """Return an answer's result as plain data.

    NumPy numbers, fractions and decimals become Python numbers, tensors arrays, and dates text.

    Args:
        item: Any object.
        name: Its name in messages.

    Raises:
        Refused: it is not plain data, too large, or nested too deeply.
    """
    return _Reader(name).read(item, 0)


class _Reader:
    """A reader of one value, which counts its parts.

    Args:
        name: Its name in messages.
        most: The largest number of parts.
        given: Whether it is an input, whose arrays, dates and exact numbers keep their types.
    """

    def __init__(self, name: str, most: int = MAX_ELEMENTS, *, given: bool = False) -> None:
        self._name, self._left, self._most, self._given = name, most, most, given

    def read(self, item: Any, depth: int) -> Any:
        self._count(1)
        if depth > MAX_DEPTH:
            raise Refused(f"{self._name} is nested more than {MAX_DEPTH} deep.")
        if item is None or type(item) in (bool, str, float):
            return item
        if self._given and type(item) in (np.ndarray, Frame, *GIVEN):
            return item
        if _is_tensor(item) or isinstance(item, np.ndarray):
            return self._array(item, depth)
        if isinstance(item, np.datetime64 | np.timedelta64):  # numpy calls a duration a number
            return tables.moment_as_text(item)
        if isinstance(item, bool | np.bool_):
            return bool(item)
        if isinstance(item, numbers.Integral):
            return self._whole(int(item))
        if isinstance(item, numbers.Real) or type(item).__name__ == "Decimal":
            return float(item)
        if isinstance(item, str):
            return str.__str__(item)
        if pandas := sys.modules.get("pandas"):
            if item is pandas.NA or item is pandas.NaT:
                return None
            if isinstance(item, pandas.Interval) or (
                isinstance(item, pandas.Period) and not self._given
            ):
                return str(item)
            self._count(
                getattr(item, "size", 0) * isinstance(item, pandas.DataFrame | pandas.Series)
            )
            scalar = not self._given and tables.moment_as_text(item)
            if not scalar and (found := tables.frame_of(pandas, item, self._cell(depth + 1))):
                return [*found.index] if found.form == "index" and not self._given else found
        if (text := tables.moment_as_text(item)) is not None:
            return text
        return self._several(item, depth + 1)

    def _cell(self, depth: int) -> Callable[[Any], Any]:
        def read(item: Any) -> Any:
            self._left += 1  # which counts the table as a whole
            return self.read(item, depth)

        return read

    def _count(self, number: int) -> None:
        self._left -= number
        if self._left < 0:
            raise Refused(f"{self._name} contains more than {self._most:,} things.")

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
        if not _is_tensor(item) and item.dtype.kind not in "biufc":  # text, dates or anything else
            moments = item.dtype.kind in "mM"
            return self.read([*item] if moments else item.tolist(), depth + 1)
        found = plain(item, self._name)
        self._left -= found.size
        return found

    def _whole(self, number: int) -> int:
        if number.bit_length() > MAX_DIGITS * math.log2(10):
            raise Refused(
                f"{self._name} is or contains a number of more than {MAX_DIGITS:,} digits."
            )
        return _Large(number) if self._given and number.bit_length() > MOST_BITS else number


MOST_BITS = 63
"""The most bits of a whole number that the sandbox's channel can carry directly."""


class _Large(int):
    """A whole number in an input that has more than `MOST_BITS` bits."""


def _is_tensor(item: Any) -> bool:
    torch = sys.modules.get("torch")  # if nobody imported torch, there is no tensor
    return torch is not None and isinstance(item, torch.Tensor)


def _set(parts: Iterable[Any]) -> frozenset[Any]:
    return frozenset(tuple(part) if isinstance(part, list) else part for part in parts)


def encode_array(array: Array) -> dict[str, Any]:
    """Return a finite float64 or int64 array as dtype, shape and flat row-major values."""
    return {
        "dtype": _NAMES.get(array.dtype) or str(array.dtype),
        "shape": list(array.shape),
        "values": array.reshape(-1).tolist(),
    }


def decode_array(data: Mapping[str, Any]) -> Array:
    """Return the array that `encode_array` wrote; raise UserError for anything else."""
    if set(data) != {"dtype", "shape", "values"} or data["dtype"] not in tuple(_DTYPES):
        raise UserError("an array needs dtype (float64 or int64), shape and values")
    shape, values, kind = data["shape"], data["values"], _DTYPES[data["dtype"]]
    if not (isinstance(shape, list) and isinstance(values, list) and len(shape) <= MAX_DIMENSIONS):
        raise UserError("an array's shape and values must be lists")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise UserError("an array's shape must be a list of sizes")
    if math.prod(max(size, 1) for size in shape) > MAX_ELEMENTS:
        raise UserError(f"an array has at most {MAX_ELEMENTS:,} numbers")
    if math.prod(shape) != len(values):
        raise UserError(f"an array of shape {tuple(shape)} does not fit {len(values)} values")
    if not all(type(value) is kind for value in values):
        raise UserError(f"an array of {data['dtype']} contains values of other types")
    try:
        array = np.array(values, dtype=data["dtype"]).reshape(shape)
    except (OverflowError, ValueError) as error:
        raise UserError(f"an array's values do not fit {data['dtype']}") from error
    if not np.isfinite(array).all():
        raise UserError("an array's values are not finite")
    return array


_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def state_of(item: Any) -> Any:
    """Return everything needed to recreate a numpy Generator, as whole numbers by name."""
    if isinstance(item, np.random.Generator):
        seeds = item.bit_generator.seed_seq
        names = ("entropy", "spawn_key", "pool_size", "n_children_spawned")
        of_seeds = {name: getattr(seeds, name) for name in names if hasattr(seeds, name)}
        return state_of({"state": item.bit_generator.state, "seeds": of_seeds})
    if isinstance(item, Mapping):
        return {name: state_of(part) for name, part in item.items()}
    if isinstance(item, np.ndarray | list | tuple):
        return [state_of(part) for part in item]
    return int(item) if isinstance(item, np.integer) else item


def generator(state: Mapping[str, Any]) -> np.random.Generator:
    """Return a new Generator in a state that `state_of` returned."""
    bits = getattr(np.random, state["state"]["bit_generator"])
    made = bits(np.random.SeedSequence(**state["seeds"]) if state["seeds"] else 0)
    made.state = state["state"]
    return np.random.Generator(made)


class Case(Mapping[str, Any]):
    """The inputs of one case; each access to a Generator gives a new one in the same state.

    So a reference draws the same as an answer, however often it is called.
    """

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        self._inputs = {
            name: state_of(item) if _draws(item) else item for name, item in inputs.items()
        }
        self._drawing = {name for name, item in inputs.items() if _draws(item)}

    def __getitem__(self, name: str) -> Any:
        return generator(self._inputs[name]) if name in self._drawing else self._inputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._inputs)

    def __len__(self) -> int:
        return len(self._inputs)


def _draws(item: Any) -> bool:
    return isinstance(item, np.random.Generator)


def as_drawn(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a case's inputs, with Generators fixed in their current state."""
    return Case(inputs) if any(map(_draws, inputs.values())) else inputs


GIVEN: Mapping[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    datetime.datetime: ("datetime", str, datetime.datetime.fromisoformat),
    datetime.date: ("date", str, datetime.date.fromisoformat),
    datetime.time: ("time", str, datetime.time.fromisoformat),
    datetime.timedelta: (
        "duration",
        lambda item: [item.days, item.seconds, item.microseconds],
        lambda parts: datetime.timedelta(*parts),
    ),
    Decimal: ("decimal", str, Decimal),
    Fraction: ("fraction", str, Fraction),
    _Large: ("whole", str, int),
    np.random.Generator: (
        "generator",
        lambda item: encode(read_given(state_of(item))),
        lambda state: generator(decode(state, given=True)),
    ),
}
"""Types that only inputs have: their JSON key, and functions to write and read them."""
_READ_GIVEN = {key: made for key, _, made in GIVEN.values()}


def encode(item: Any) -> Any:
    """Return plain data as JSON; other types become objects with one key that names the type."""
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
        return {"array": encode_array(item)} if _is_usual(item) else {"numpy": _any_array(item)}
    if isinstance(item, Frame):
        return {"table": [encode(part) for part in vars(item).values()]}
    if type(item) in GIVEN:
        key, written, _ = GIVEN[type(item)]
        return {key: written(item)}
    return item


def _is_usual(array: Array) -> bool:
    usual = array.dtype in _NAMES and array.ndim <= MAX_DIMENSIONS
    return usual and array.size <= MAX_ELEMENTS and bool(np.isfinite(array).all())


def _any_array(array: Array) -> list[Any]:
    flat = np.ascontiguousarray(array).reshape(-1)
    if array.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    flat = flat.view(np.int64) if array.dtype.kind in "mM" else flat
    return [array.dtype.str, list(array.shape), encode(flat.tolist())]


def decode(item: Any, depth: int = 0, *, given: bool = False) -> Any:
    """Return the data that `encode` wrote; raise UserError for anything else.

    Args:
        item: JSON.
        depth: The depth of this part.
        given: Whether it is an input, which is ours.
    """
    if depth > MAX_DEPTH + 1:
        raise UserError(f"plain data are nested no more than {MAX_DEPTH} deep")
    if isinstance(item, list):
        return [decode(part, depth + 1, given=given) for part in item]
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
    if given and kind in _READ_GIVEN:
        return _READ_GIVEN[kind](content)
    if given and kind == "numpy":
        return _numpy(*decode(content, depth + 1, given=True))
    if isinstance(content, list):
        try:
            parts = [decode(part, depth + 1, given=given) for part in content]
            if not given and kind in ("set", "dict"):
                _refuse_collisions([key for key, _ in parts] if kind == "dict" else parts)
            return _decoded(kind, parts)
        except (TypeError, ValueError) as error:
            raise UserError(
                f"plain data of the kind {kind!r:.40} contain something else"
            ) from error
    raise UserError(f"there are no plain data of the kind {kind!r:.40}")


def _refuse_collisions(keys: Iterable[Any]) -> None:
    # By identity, because NaN is equal to nothing, and an honest set may have many.
    hashes = {id(key): hash(key) for key in keys}.values()
    if max(Counter(hashes).values(), default=0) > MAX_COLLISIONS:
        raise UserError(f"more than {MAX_COLLISIONS} keys or members have the same hash")


def _writable(text: str) -> str:
    """Return text that a log can contain: unpaired surrogates become question marks."""
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


def _numpy(dtype: str, shape: list[int], values: list[Any]) -> Array:
    kind = np.dtype(dtype)
    if kind.kind == "O":
        flat = np.empty(len(values), dtype=object)
        flat[:] = [*map(restored, values)]
    else:
        stored = {"c": f"f{kind.itemsize // 2}", "m": "i8", "M": "i8"}.get(kind.kind, dtype)
        flat = np.array(values, dtype=stored).view(kind)
    return flat.reshape(shape)


def _frame(
    columns: Any,
    kinds: Any,
    values: Any,
    index: Any,
    names: Any = (),
    dtypes: Any = (),
    form: Any = "table",
    levels: Any = (),
) -> Frame:
    parts = (columns, kinds, values, index, names, dtypes, levels)
    if not all(isinstance(part, tuple) for part in parts):
        raise TypeError("a table's parts must be tuples")
    if not len(columns) == len(kinds) == len(values):
        raise ValueError("a table has columns without names, kinds or values")
    if not all(isinstance(one, tuple) and len(one) == len(index) for one in values):
        raise ValueError("a table's columns differ in length from its index")
    if not all(isinstance(kind, str) for kind in (*kinds, *levels)):
        raise TypeError("a table's kinds are words")
    hash((columns, names, form))  # raises TypeError if a key is not a name
    return Frame(*parts[:-1], form, levels)


def encode_value(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs or a value as JSON: arrays and text by name, everything else as data."""
    return {
        name: encode_array(item)
        if isinstance(item, np.ndarray) and _is_usual(item)
        else item
        if isinstance(item, str)
        else {"data": encode(item)}
        for name, item in value.items()
    }


def encode_inputs(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case's inputs as JSON; raise Refused if one is neither an array nor plain data."""
    return encode_value({name: read_given(item, name) for name, item in case.items()})


def read_given(item: Any, name: str = "it") -> Any:
    """Return an input as plain data, including dates, exact numbers, and any arrays and tables."""
    return _Reader(name, MOST_GIVEN, given=True).read(item, 0)


def decode_inputs(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that `encode_inputs` wrote, as they were drawn."""
    return {
        name: item
        if isinstance(item, str)
        else restored(decode(item["data"], given=True))
        if set(item) == {"data"}
        else decode_array(item)
        for name, item in case.items()
    }


def restored(item: Any) -> Any:
    """Return plain data in the form that an answer receives: pandas tables, and sets."""
    match item:
        case Frame():
            return tables.to_pandas(item)
        case dict():
            return {key: restored(part) for key, part in item.items()}
        case list():
            return [*map(restored, item)]
        case tuple():
            return tuple(map(restored, item))
    return set(item) if isinstance(item, frozenset) else item


def decode_value(value: Any) -> Value:
    """Return the value that `encode_value` wrote; raise UserError for anything else."""
    if not isinstance(value, dict):
        raise UserError("a value must be an object of arrays by name")
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
