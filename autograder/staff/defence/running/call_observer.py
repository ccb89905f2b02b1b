"""Watch one call of a student's function, which the homework's own adapter makes.

This text is sent into the sandbox appended to staff/adapters.py, so it can use its names.
"""

import contextlib
import sys
from collections.abc import Mapping
from typing import Any

from autograder.records.data import read as _read_data
from autograder.records.values import Refused as _DefenceRefused

_MOST_NOTED, _FEW = 80, 8
_MANY, _SUMS = 1_000, 16
"""The size of a large array, and the number of sums in its place: more than the 12 numbers that a
sheet shows."""
_BY_NOTEBOOK = "<answer>"
"""Python's file name for an answer that replaces the notebook's own."""


def defence_observed(*objects: Any, defence: Mapping[str, Any], **inputs: Any) -> dict[str, Any]:
    """Return a call's arguments, its result, and its variables along the way.

    Args:
        objects: The notebook's.
        defence: adapter: the question's, or ""; function: the qualified name of the function to
            watch; shown: whether to return the call's arguments; stores: line -> the names that it
            assigns.
        inputs: Those of the adapter.
    """
    observer = _DefenceObserver(defence["function"], defence["stores"], shown=defence["shown"])
    sys.settrace(observer.on_call)
    try:
        if defence["adapter"]:
            globals()[defence["adapter"]](*objects, **inputs)
        else:
            objects[-1](*inputs.values())
    except _DefenceRefused:  # the caller's code runs after the call, so it is not traced
        if not observer.found:
            raise
    except Exception as error:
        if not observer.found:
            observer.found = {"raised": type(error).__name__, "line": 0}
    finally:
        sys.settrace(None)
    if not observer.found:
        raise _DefenceRefused("It was not called.")
    return {"call": observer.found}


class _DefenceObserver:
    """A tracer of the first call of one function, without the calls inside it."""

    def __init__(self, function: str, stores: Mapping[int, Any], *, shown: bool) -> None:
        self.found: dict[str, Any] = {}
        self._function, self._stores, self._shown = function, stores, shown
        self._frame: Any = None
        self._line, self._raised = 0, ""
        self._visits: dict[int, int] = {}
        self._noted: dict[tuple[int, str], Any] = {}
        self._given: dict[str, Any] = {}
        self._own: dict[str, Any] = {}

    def on_call(self, frame: Any, event: str, argument: Any) -> Any:  # noqa: ARG002
        code = frame.f_code
        if (
            self._frame is not None
            or code.co_filename != _BY_NOTEBOOK
            or code.co_qualname != self._function
        ):
            return None
        self._frame = frame
        if not self._shown:
            return self._on_line
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        for name in names:
            item = frame.f_locals[name]
            if name == names[0] == "self":
                self._own = _own_state(item)
            else:
                self._given[name] = _defence_value(item)
        return self._on_line

    def _on_line(self, frame: Any, event: str, argument: Any) -> Any:
        if event == "exception":
            self._raised = argument[0].__name__
            return self._on_line
        self._note(frame)
        if event == "line":
            self._raised = ""
            self._line = frame.f_lineno
            self._visits[self._line] = self._visits.get(self._line, 0) + 1
        elif event == "return":
            said = {"raised": self._raised, "line": self._line} if self._raised else {}
            self.found = {
                "given": self._given,
                "own": self._own,
                "noted": [[line, name, *item] for (line, name), item in self._noted.items()],
                "visits": self._visits,
                **(said or {"returned": _in_short(_defence_value(argument))}),
            }
        return self._on_line

    def _note(self, frame: Any) -> None:
        for name in self._stores.get(self._line, ()):
            key = (self._line, name)
            if key not in self._noted and name in frame.f_locals and len(self._noted) < _MOST_NOTED:
                self._noted[key] = _shape_and_value(frame.f_locals[name])


def _own_state(item: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with contextlib.suppress(Exception):
        weights = dict(item.named_parameters()) if hasattr(item, "named_parameters") else {}
        attributes = {} if weights else vars(item)
        for name, part in [*weights.items(), *attributes.items()][:12]:
            found[str(name)] = _defence_value(part)
    return found


def _defence_value(item: Any) -> list[Any]:
    """Return ["value", plain data], or ["other", type] for anything else."""
    with contextlib.suppress(Exception):
        found = _read_data(item)
        if _is_finite(found):
            return ["value", found]
    return ["other", type(item).__name__[:60]]


def _in_short(item: Any) -> Any:
    """Return data with some sums in place of each large array.

    No sheet shows so many numbers, and the sums show whether two results are equal: each sums a
    part with fixed weights.
    """
    if isinstance(item, dict):
        return {name: _in_short(part) for name, part in item.items()}
    if isinstance(item, list | tuple):
        return type(item)(map(_in_short, item))
    if getattr(item, "size", 0) <= _MANY:
        return item
    import numpy

    weighted = item.reshape(-1) * (numpy.random.default_rng(0).random(item.size) - 0.5)
    sums = [part.sum() for part in numpy.array_split(weighted, _SUMS)]
    return {"shape": item.shape, "sums": numpy.array(sums)}


def _is_finite(item: Any) -> bool:
    if isinstance(item, dict):
        return all(map(_is_finite, item.values()))
    if isinstance(item, list | tuple | set | frozenset):
        return all(map(_is_finite, item))
    if hasattr(item, "dtype"):
        return bool((abs(item) < float("inf")).all())
    return not isinstance(item, float) or abs(item) < float("inf")


def _shape_and_value(item: Any) -> list[Any]:
    shape = getattr(item, "shape", None)
    sizes = None
    with contextlib.suppress(TypeError, ValueError):
        sizes = [int(size) for size in shape] if shape is not None else None
    small = isinstance(item, bool | int | float | str)
    if sizes is not None:
        count = 1
        for size in sizes:
            count *= size
        small = count <= _FEW
    return [sizes, _defence_value(item) if small else ["other", type(item).__name__]]
