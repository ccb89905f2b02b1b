"""Values of students' code: their comparison, and their form on a sheet."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from autograder.staff.defence.records import Call, Unreadable

SAME, DIFFERENT = 1e-5, 1e-2
"""Shares of the largest number: smaller differences are equality, larger ones are differences, and
cases between are left out."""
MOST_TEXT = 160
_HUGE, _TINY = 1e300, 1e-7


def same_result(one: Call | None, other: Call | None) -> bool | None:
    """Return whether two calls ended alike; None if that is unclear."""
    if one is None or other is None:
        return None
    if one.raised or other.raised:
        return one.raised == other.raised
    return same(one.returned, other.returned)


def same(one: Any, other: Any) -> bool | None:
    """Return whether two values are the same numbers in the same shape; None if that is unclear."""
    if _is_odd(one) or _is_odd(other):
        return None
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and _all(map(same, one.values(), other.values()))
    first, second = _numbers(one), _numbers(other)
    if first is not None and second is not None:
        return _close(first, second)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and _all(map(same, one, other))
    if (first is None) != (second is None):
        return False
    return bool(one == other)


def _is_odd(item: Any) -> bool:
    return isinstance(item, Unreadable) or (isinstance(item, int | float) and not _is_number(item))


def _all(found: Iterable[bool | None]) -> bool | None:
    answers = list(found)
    if False in answers:
        return False
    return None if None in answers else True


def _numbers(item: Any) -> Any:
    """Return a value as an array if it consists only of numbers, or None."""
    if isinstance(item, np.ndarray):
        return item.astype(float)
    if isinstance(item, bool | int | float):
        return np.asarray(float(item))
    if isinstance(item, list | tuple) and item and all(_is_number(part) for part in item):
        return np.asarray([float(part) for part in item])
    return None


def _is_number(item: Any) -> bool:
    return isinstance(item, bool | int | float) and abs(item) < _HUGE


def _close(one: Any, other: Any) -> bool | None:
    if one.shape != other.shape:
        return False
    scale = max(1.0, np.abs(one).max(initial=0.0), np.abs(other).max(initial=0.0))
    far = np.abs(one - other).max(initial=0.0) / scale
    if far <= SAME:
        return True
    return False if far >= DIFFERENT else None


def form(item: Any) -> Any:
    """Return how a value looks apart from its numbers, so that no choice stands out."""
    numbers = _numbers(item)
    if numbers is not None:
        return ("numbers", numbers.shape, bool((numbers == np.round(numbers)).all()))
    if isinstance(item, list | tuple):
        return ("several", tuple(form(part) for part in item))
    if isinstance(item, Mapping):
        return ("named", tuple((name, form(part)) for name, part in item.items()))
    return (type(item).__name__,)


def size(item: Any) -> float:
    """Return how many numbers a value has; infinity if it cannot be written on a sheet."""
    if isinstance(item, np.ndarray):
        return item.size or math.inf
    if isinstance(item, Mapping):
        item = list(item.values())
    if isinstance(item, list | tuple):
        return sum(map(size, item)) if item else math.inf
    if isinstance(item, str):
        return 1 if len(item) < 30 and item.isprintable() else math.inf
    return 1 if item is None or _is_number(item) else math.inf


def flat(item: Any) -> list[float]:
    """Return the numbers of a value, in order."""
    numbers = _numbers(item)
    if numbers is not None:
        return [float(number) for number in numbers.reshape(-1)]
    if isinstance(item, Mapping):
        item = list(item.values())
    if isinstance(item, list | tuple):
        return [number for part in item for number in flat(part)]
    return []


def written(item: Any) -> str:
    """Return a value in the form of a sheet, with three digits per number."""
    if isinstance(item, np.ndarray):
        return written(item.tolist())
    if isinstance(item, bool) or item is None:
        return str(item)
    if isinstance(item, int | float):
        return _number(item)
    if isinstance(item, list):
        return f"[{', '.join(map(written, item))}]"
    if isinstance(item, tuple):
        return f"({', '.join(map(written, item))}{',' * (len(item) == 1)})"
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{name!r}: {written(part)}" for name, part in item.items()) + "}"
    return repr(item)


def _number(item: float) -> str:
    if not math.isfinite(item):
        return str(item)
    item = 0 if abs(item) < _TINY else item  # rounding
    if item == int(item) and abs(item) < 1e6:
        return str(int(item))
    text = f"{item:.3g}"
    return f"{float(text):.0f}" if "e+" in text and abs(item) < 1e6 else text


def shape_of(item: Any) -> str:
    """Return an array's shape in words; for anything else, the value."""
    if isinstance(item, np.ndarray):
        return f"shape {item.shape}"
    if isinstance(item, Unreadable):
        an = item.kind.startswith(tuple("AEIOaeio"))  # and "a UserDict"
        return f"{'an' if an else 'a'} {item.kind}"
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{name!r}: {shape_of(part)}" for name, part in item.items()) + "}"
    if isinstance(item, list | tuple) and item:
        return f"[{', '.join(map(shape_of, item))}]"
    return written(item)
