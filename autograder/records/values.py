"""Read what an answer returns, compare numbers, and notice changed arguments.

Visible and hidden checks run this same text: `autograder release` copies it into the cell
`value_tool` of every notebook. So it imports nothing from the kit.
"""

import builtins
import functools
import inspect
import math
import sys
from types import CodeType, FunctionType
from typing import Any

import numpy as np


class Refused(Exception):
    """An answer cannot be used as it is; the message gives the reason in one sentence."""


def plain(value: Any, name: str = "it", *, finite: bool = True) -> Any:
    """Return numbers as a new array of float64 or int64.

    Accepts numbers from Python, NumPy and PyTorch, fractions and decimals, arrays and tensors of
    any kind, and lists and tuples of these. Complex numbers need imaginary parts of 0; truth
    values become 0 and 1.

    Args:
        value: What an answer returned.
        name: The name to use in a message.
        finite: Whether to refuse NaN and infinity; a mask may contain infinity.

    Raises:
        Refused: The value is not an array of real numbers, or contains NaN or infinity.
    """
    if value is None:
        raise Refused(f"{name} is None: is there a `return`?")
    if isinstance(value, str | bytes):
        raise Refused(f"{name} is text, not numbers.")
    try:
        array = _array(value)
        if array.dtype.kind == "O":  # fractions, decimals, huge integers
            array = np.vectorize(float, otypes=[np.float64])(array)
    except Exception as error:
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise Refused(f"{name} is not an array of numbers ({why}).") from error
    if array.dtype.kind == "c" and not array.imag.any():
        array = array.real
    if array.dtype.kind in "biu":
        return array.astype(np.int64)
    if array.dtype.kind == "f":
        # Refuse NaN here: in a comparison, `abs(got - right) > allowed` is False for it.
        if finite and not np.isfinite(array).all():
            raise Refused(f"{name} contains NaN or infinity.")
        return array.astype(np.float64)
    kind = type(value).__name__
    raise Refused(f"{name} is not an array of real numbers: it is a {kind} ({array.dtype}).")


def differing(got: Any, right: Any, tolerance: float, size: Any = None) -> Any:
    """Return where two arrays of the same shape differ; NaN and infinity always count as different.

    Args:
        got: A student's numbers.
        right: The right ones.
        tolerance: The largest difference allowed, in units of `size`.
        size: The scale of a difference; by default, 1 plus the absolute right number.
    """
    with np.errstate(all="ignore"):
        apart = np.abs(np.asarray(got, float) - np.asarray(right, float))
        size = 1 + np.abs(right) if size is None else size
        return ~((apart <= tolerance * size) & np.isfinite(apart))


def agree(got: Any, right: Any, tolerance: float, size: Any = None) -> bool:
    """Return whether two arrays have the same shape and no numbers that differ."""
    if isinstance(got, int | float) and isinstance(
        right, int | float
    ):  # without arrays: much faster
        size = 1 + abs(right) if size is None else size
        return bool(abs(got - right) <= tolerance * size < math.inf)
    same = np.shape(got) == np.shape(right)
    return same and not np.any(differing(got, right, tolerance, size))


def _array(value: Any) -> Any:
    """Return an array of any type; a list may hold tensors that require gradients."""
    if _is_tensor(value):
        value = value.detach().cpu().resolve_conj().resolve_neg()
        value = value.to_dense() if value.is_sparse else value
        value = value.double() if value.is_floating_point() else value
        return np.array(value.numpy(), subok=False)
    if not isinstance(value, list | tuple):
        return np.array(value, subok=False)
    try:
        array = np.array(value, subok=False)
    except Exception:  # a tensor that requires gradients, or has a type that NumPy lacks
        array = None
    if array is None or array.dtype.kind == "O":
        array = np.array([_array(item) for item in value])
    return array


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")  # without an import there is no tensor
    return torch is not None and isinstance(value, torch.Tensor)


def number(value: Any, name: str = "it") -> Any:
    """Return the one number in a value; raise Refused for none or several."""
    array = plain(value, name)
    if array.size != 1:
        raise Refused(f"{name} should be one number, and has shape {array.shape}.")
    return array.reshape(())[()]


def several(value: Any, number: int, name: str = "it") -> list[Any]:
    """Return the parts of a tuple, list, array or tensor; raise Refused unless there are `number`."""
    if value is None:
        raise Refused(f"{name} is None: is there a `return`?")
    shape, axes = getattr(value, "shape", None), getattr(value, "ndim", 0)
    # The parts of these are keys, letters, or unordered; a table's column has an order.
    whole = isinstance(value, str | bytes | set | frozenset)
    whole = whole or (hasattr(value, "keys") and axes != 1)
    try:
        parts = [] if whole else list(value)
    except TypeError as error:
        raise Refused(f"{name} should be {number} things, and is one.") from error
    if whole or len(parts) != number:
        of_shape = "" if shape is None else f" of shape {tuple(shape)}"
        one = f"one {type(value).__name__}{of_shape}"
        is_what = one if whole or of_shape else len(parts)
        raise Refused(f"{name} should be {number} things, and is {is_what}.")
    return parts


def named(value: Any, names: Any, name: str = "it") -> dict[str, Any]:
    """Return some entries of a dict or ParameterDict; raise Refused if one is missing."""
    if not (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        raise Refused(f"{name} should be a dict, and is a {type(value).__name__}.")
    there = set(value.keys())
    missing = [key for key in names if key not in there]
    if missing:
        raise Refused(f"{name} has nothing under {missing[0]!r}.")
    return {key: value[key] for key in names}


def is_function(item: Any) -> bool:
    """Return whether an object is a plain callable: not a class, and not a torch module."""
    torch = sys.modules.get("torch")
    module = torch is not None and isinstance(item, torch.nn.Module)
    return callable(item) and not isinstance(item, type) and not module


def watched(function: Any, name: str = "") -> Any:
    """Wrap a function so that it raises Refused if it changes its arguments.

    Args:
        function: A function or a callable object.
        name: The name to use in a message; by default, the function's own.
    """
    called = name or getattr(function, "__name__", "it")

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        kept = [*map(_kept, args), *map(_kept, kwargs.values())]
        result = function(*args, **kwargs)
        labels = [*_parameters(function), *(f"argument {n + 1}" for n in range(len(args)))]
        given = [*zip(labels, args), *kwargs.items()]  # noqa: B905
        for before, (place, item) in zip(kept, given):  # noqa: B905
            if found := _difference(before, item, place):
                raise Refused(f"`{called}` changes `{found}`, which it is given: work on a copy.")
        return result

    return call


def unchanged(item: Any, other: Any) -> bool:
    """Return whether two values are the same, as an argument should be before and after a call."""
    return not _difference(_kept(item), other, "it")


def _parameters(function: Any) -> list[str]:
    try:
        return [p.name for p in inspect.signature(function).parameters.values() if p.kind < 2]
    except (TypeError, ValueError):
        return []


def _kept(item: Any) -> Any:
    """Copy what code can change in place: arrays, tensors, tables, and containers."""
    if _is_tensor(item):
        return item.detach().clone()
    if _is_table(item):
        columns = [item.iloc[:, n] for n in range(item.shape[1])] if item.ndim > 1 else [item]
        return item.copy(), [_kept(one.tolist()) for one in columns if one.dtype == object]
    if isinstance(item, np.ndarray):
        return _kept(item.tolist()) if item.dtype == object else item.copy()
    if isinstance(item, list | tuple):
        return [_kept(part) for part in item]
    if isinstance(item, set | frozenset):
        return set(item)
    if hasattr(item, "keys") and hasattr(item, "__getitem__"):
        return {key: _kept(item[key]) for key in list(item.keys())}
    return item


def _difference(before: Any, item: Any, place: str) -> str:
    """Return the first place where a value differs from the copy that `_kept` made; "" for none."""
    parts: list[Any] = []
    if isinstance(before, dict):
        same = hasattr(item, "keys") and list(before) == list(item.keys())
        parts = [(before[key], item[key], f"{place}[{key!r}]") for key in before] if same else []
    elif isinstance(before, list):
        same = hasattr(item, "__len__") and len(before) == len(item)
        pairs = enumerate(zip(before, item)) if same else ()  # noqa: B905
        parts = [(b, i, f"{place}[{n}]") for n, (b, i) in pairs]
    elif isinstance(before, tuple):
        return _changed_part(before[0], before[1], item, place)
    elif isinstance(before, np.ndarray) or _is_tensor(before):
        same = np.shape(before) == np.shape(item) and _same_numbers(before, item)
    else:
        same = _is_same(before, item)
    return next(filter(None, (_difference(*part) for part in parts)), "") if same else place


def _is_table(item: Any) -> bool:
    pandas = sys.modules.get("pandas")  # without an import there is no table
    return pandas is not None and isinstance(item, pandas.DataFrame | pandas.Series)


def _changed_part(before: Any, objects: list[Any], item: Any, place: str) -> str:
    """Return the part of a table that changed; "" for none.

    Args:
        before: A copy of the table, which shares the objects in its cells.
        objects: Copies of these objects, column by column.
        item: The table.
        place: The name to use in a message.
    """
    if type(before) is not type(item):
        return place
    if not _same_labels(before.index, item.index):
        return f"{place}.index"
    columns = [(place, before, item)]
    if before.ndim > 1:
        if not _same_labels(before.columns, item.columns):
            return f"{place}.columns"
        columns = [
            (f"{place}[{name!r}]", before.iloc[:, n], item.iloc[:, n])
            for n, name in enumerate(before.columns)
        ]
    kept = iter(objects)
    for where, one, other in columns:
        if not (one.equals(other) and _is_same(one.name, other.name)):
            return where
        if one.dtype == object and _difference(next(kept), other.tolist(), where):
            return where
    return ""


def _same_labels(before: Any, item: Any) -> bool:
    names = list(before.names), list(item.names)
    return before.equals(item) and before.dtype == item.dtype and _is_same(*names)


def _is_same(before: Any, item: Any) -> bool:
    """Return whether a value is unchanged; NaN is, and so are values that cannot be compared."""
    try:
        return before is item or bool(before == item or (before != before and item != item))
    except Exception:
        return type(before) is type(item)


def _same_numbers(before: Any, item: Any) -> bool:
    item = item.detach() if _is_tensor(item) else item
    return bool(((before == item) | ((before != before) & (item != item))).all())


KIT: dict[str, Any] = {}
"""The functions and classes that a notebook has from the kit's cells."""


def keep_apart(names: dict[str, Any]) -> None:
    """Give the functions of a kit cell their own names, which no answer can hide.

    Args:
        names: The notebook's names; the cell's first line saved the earlier ones in EARLIER.
    """
    before = names.pop("EARLIER")
    own: dict[str, Any] = {"__builtins__": builtins, "__name__": __name__}
    for name, item in list(names.items()):
        if isinstance(item, FunctionType) and item.__globals__ is names:
            if item is before.get(name):
                continue
            # A student may name a list `list`, even above the last cell.
            used = [one for one in _names_in(item.__code__) if not hasattr(builtins, one)]
            own |= {one: names[one] for one in used if one in names and one not in own}
            apart = FunctionType(item.__code__, own, name, item.__defaults__, item.__closure__)
            apart.__kwdefaults__ = item.__kwdefaults__
            own[name] = names[name] = apart
        elif not (isinstance(item, type) and issubclass(item, Refused)):
            continue
        if not name.startswith("_"):
            KIT[name] = names[name]


def _names_in(code: CodeType) -> set[str]:
    inside = [_names_in(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inside)
