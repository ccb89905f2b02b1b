"""Code that the kinds of questions share: shuffled choices, and the text about a call."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.staff.defence.records import Call, Edit
from autograder.staff.defence.running.edits import code
from autograder.staff.defence.running.study import MAX_RETURNED
from autograder.staff.defence.values import flat, same, same_result, shape_of, size, written

_PLAIN = 0.1
"""A share of the largest number: values that differ by less look alike to a person."""
_MOST_TOLD = 60
"""The most characters of a value in a reason."""


def effect(pairs: Sequence[tuple[Call, Call]]) -> str:
    """Describe how an edit changes calls, given each call before and after it."""
    changed = [(one, after) for one, after in pairs if same_result(one, after) is False]
    if not changed:
        return "leaves the result as it is"
    one, after = changed[0]
    if one.raised and not after.raised:
        return f"no longer ends with {one.raised}"
    where = sizes_of(one) if len(pairs) > 1 else ""
    short = 0 < len(where) <= _MOST_TOLD
    return result(after, one) + short * f" where it is called{where}"


def result(call: Call, beside: Call) -> str:
    """Describe how a call ended, where it differs from the call beside it."""
    if call.raised:
        return f"ends with {call.raised}" + (f" on line {call.line}" if call.line > 0 else "")
    if size(call.returned) <= MAX_RETURNED and len(written(call.returned)) <= _MOST_TOLD:
        return f"returns {code(written(call.returned))}"
    sizes, others = (shape_of(one.returned)[:_MOST_TOLD] for one in (call, beside))
    numbers, before = flat(call.returned), flat(beside.returned)
    pairs = enumerate(zip(numbers, before, strict=False), start=1)
    place = next((n for n, (a, b) in pairs if written(a) != written(b)), None)
    if sizes != others or place is None or isinstance(call.returned, Mapping):
        return f"returns {sizes}"
    number = code(written(numbers[place - 1]))
    return f"returns {number} as number {place} of {len(numbers)}"


def returned(call: Call | None) -> Any:
    """Return a call's value if a sheet can show it, or None."""
    if call is None or call.raised or size(call.returned) > MAX_RETURNED:
        return None
    return call.returned


def are_apart(one: Any, other: Any) -> bool:
    """Return whether two values are so different that nobody confuses them when working by hand.

    Numbers must differ by at least a tenth of the largest.
    """
    if same(one, other) is not False or written(one) == written(other):
        return False
    first, second = np.array(flat(one)), np.array(flat(other))
    if first.shape != second.shape:
        return True
    largest = max(np.abs(first).max(initial=0.0), np.abs(second).max(initial=0.0))
    far = np.abs(first - second).max(initial=0.0)
    return bool(far >= _PLAIN * largest or far == 0)  # 0: a difference that is not a number


def apart(values: Iterable[tuple[Edit, Any]], own: Any) -> list[tuple[Edit, Any]]:
    """Return edits with values that nobody confuses with each other's, or with the one before."""
    found: list[tuple[Edit, Any]] = []
    for edit, value in values:
        if all(are_apart(value, other) for other in (own, *(v for _, v in found))):
            found.append((edit, value))
    return found


def shuffled(choices: Iterable[str], rng: np.random.Generator) -> tuple[tuple[str, ...], int]:
    """Return shuffled choices, and the new place of the first one."""
    options = list(choices)
    order = rng.permutation(len(options)).tolist()
    return tuple(options[n] for n in order), order.index(0)


def given(call: Call) -> tuple[tuple[str, str], ...]:
    """Return a call's arguments as a sheet shows them: by position.

    A name could reveal the code to a person who does not have it at hand.
    """
    return tuple((name, written(item)) for name, item in _places(call))


def sizes_of(call: Call) -> str:
    """Return the shapes of a call's arguments, in words."""
    parts = [
        f"{name} {'of' if isinstance(item, np.ndarray) else '='} {shape_of(item)}"
        for name, item in _places(call)
    ]
    return f" with {', '.join(parts)}" if parts else ""


def _places(call: Call) -> list[tuple[str, Any]]:
    own = [(f"self.{name}", item) for name, item in call.own.items()]
    return [*own, *((f"argument {n}", v) for n, v in enumerate(call.given.values(), start=1))]
