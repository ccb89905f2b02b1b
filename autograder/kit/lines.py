"""Evaluate each line of a derivation, for `Derivation` to judge; this runs beside student code.

A derivation is a function that returns a list of lines. A line is a function whose parameters name
quantities of the case, or a pair of a waypoint's name and such a function. Nothing here knows what
is right.
"""

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograder.records.questions import Array
from autograder.records.values import Refused, plain, watched

Function = Callable[..., Any]
MAX_LINES = 60
MAX_NUMBERS = 2_000


@dataclass(frozen=True)
class Lines:
    """The evaluator of one derivation's lines.

    Args:
        waypoints: Their names, and the quantities that each may use, which keeps it from repeating the definition.
        result: The name of the student's function that the derivation ends in; a line may not call it.
        draws: Quantities with one row per draw: a line that uses one is an expectation.
        provided: Names that the notebook provides only for trying answers out: a line that uses one gets a message about it.
    """

    waypoints: Mapping[str, tuple[str, ...]]
    result: str
    draws: tuple[str, ...] = ()
    provided: tuple[str, ...] = ()

    def values(
        self,
        derivation: Function,
        quantities: Mapping[str, Any],
        last: Sequence[str] | Callable[[Function], Any],
        *,
        minimum: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return every line's value, in the form for `Derivation`.

        Args:
            derivation: The student's function, which returns the lines.
            quantities: The quantities that a line may use, by name.
            last: For the last line: the quantities to call the student's `result` with, in order,
                or a function that makes the line.
            minimum: The quantities at which equations hold; elsewhere they do not.

        Raises:
            Refused: it returned no list of lines, or too many.
        """
        with _withheld(derivation, self.result) as result:
            found = self._all(derivation, quantities, minimum)
        # The lines count even if `result` is missing. It is called after them, so anything it
        # remembers of these inputs comes too late for a line that calls it.
        with contextlib.suppress(Exception):
            given = [] if callable(last) else copy.deepcopy([quantities[name] for name in last])
            found["last"] = plain(last(result) if callable(last) else result(*given))
        return found

    def _all(
        self,
        derivation: Function,
        quantities: Mapping[str, Any],
        minimum: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        lines = derivation()
        if not isinstance(lines, list | tuple):
            raise Refused(f"It should return a list of lines; it returned {type(lines).__name__}.")
        if len(lines) > MAX_LINES:
            raise Refused(f"It returned {len(lines)} lines; at most {MAX_LINES} are read.")
        found: dict[str, Any] = {"lines": len(lines)}
        for place, line in enumerate(lines, start=1):
            name, usable, waypoint = f"line {place}", dict(quantities), ""
            try:
                if isinstance(line, tuple | list) and len(line) == 2 and isinstance(line[0], str):
                    waypoint, line = line
                    if waypoint not in self.waypoints:
                        known = ", ".join(map(repr, self.waypoints))
                        raise Refused(f"no waypoint is called {waypoint[:60]!r}; there are {known}")
                    found[f"{name}, waypoint"] = waypoint
                    usable = {key: quantities[key] for key in self.waypoints[waypoint]}
                there = None if waypoint else minimum
                found |= self._one(name, line, usable, there, equation=not waypoint)
            except Exception as error:
                found[f"{name}, trouble"] = self._trouble(error)[:500]
        return found

    def _one(
        self,
        name: str,
        line: Any,
        usable: Mapping[str, Any],
        minimum: Mapping[str, Any] | None,
        *,
        equation: bool,
    ) -> dict[str, Any]:
        """Return one line's result: a value, both sides of an equation, or a mean and its error."""
        if not callable(line):
            raise Refused(f"it is a {type(line).__name__}, not a function")
        asked = _asked(line, usable)

        # Copies, since a line may change its arguments in place; the message then tells the
        # student.
        def value(of: Mapping[str, Any]) -> Any:
            given = copy.deepcopy({key: of[key] for key in asked})
            parameters = inspect.signature(line).parameters.values()
            by_place = [p for p in parameters if p.kind is p.POSITIONAL_ONLY]
            first = [given.pop(p.name, p.default) for p in by_place]
            return watched(line, "this line")(*first, **given)

        result = value(usable)
        found: dict[str, Array] = {}
        if isinstance(result, tuple) and len(result) == 2 and equation:
            if minimum is None:
                raise Refused("it returns a pair, but there is no equation in this derivation")
            pairs = zip(("left", "right"), result, value(minimum), strict=True)
            for side, anywhere, there in pairs:
                found[f"{name}, {side}"] = plain(there)
                found[f"{name}, {side} anywhere"] = plain(anywhere)
        elif set(asked) & set(self.draws):
            values = plain(result)
            if values.shape[:1] != usable[self.draws[0]].shape[:1]:
                drawn = " or ".join(self.draws)
                raise Refused(f"it asks for {drawn}, so it should return one value for each row")
            found[name] = values.mean(axis=0)
            found[f"{name}, error"] = values.std(axis=0) / np.sqrt(len(values))
        else:
            found[name] = plain(result)
        if max(item.size for item in found.values()) > MAX_NUMBERS:
            raise Refused(f"it gives more than {MAX_NUMBERS:,} numbers")
        if not all(np.isfinite(item).all() for item in found.values()):
            raise Refused("it gives NaN or infinity")
        return {name: item.reshape(()) if item.size == 1 else item for name, item in found.items()}

    def _trouble(self, error: Exception) -> str:
        """Return the fault of a line."""
        if isinstance(error, Refused) or str(error) == _CALLS_ITS_RESULT:
            return str(error).rstrip(".")
        if isinstance(error, NameError) and error.name in self.provided:
            return f"it uses `{error.name}`, which is only for the checks"
        return f"it raised {error!r}"


def _asked(line: Function, usable: Mapping[str, Any]) -> list[str]:
    """Return the quantities that a line uses; raise Refused for a forbidden one."""
    parameters = inspect.signature(line).parameters.values()
    asked = [
        p.name
        for p in parameters
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        and (p.default is p.empty or p.name in usable)
    ]
    for key in asked:
        if key not in usable:
            raise Refused(f"it asks for {key}, and may ask for {', '.join(usable)} only")
    return asked


@contextlib.contextmanager
def _withheld(derivation: Function, name: str) -> Iterator[Any]:
    """Keep a derivation from calling its own result, by any name; yield the result, or None."""
    names = getattr(inspect.unwrap(derivation), "__globals__", {})
    result = names.get(name)
    kept = {key: item for key, item in names.items() if callable(result) and item is result}
    codes: list[tuple[FunctionType, CodeType]] = []
    try:
        names.update(dict.fromkeys(kept, _calls_its_result))
        for function in _functions(result):
            code = function.__code__
            codes.append((function, code))
            refusing = _calls_its_result.__code__
            function.__code__ = refusing.replace(co_freevars=code.co_freevars)
        yield result
    finally:
        names.update(kept)
        for function, code in codes:
            function.__code__ = code


def _functions(item: Any) -> list[FunctionType]:
    """Return the functions that a call runs, even behind a cache or a decorator."""
    found: list[FunctionType] = []
    while item is not None and len(found) < MAX_LINES:
        if hasattr(item, "cache_clear"):
            item.cache_clear()
        item = getattr(item, "__func__", item)  # a bound method's
        if isinstance(item, FunctionType):
            found.append(item)
        item = getattr(item, "__wrapped__", None)
    return found


_CALLS_ITS_RESULT = "it calls the result that is to be derived"


def _calls_its_result(*_: Any, **__: Any) -> Any:
    # The kit's code runs in place of a student's function, which has different globals.
    raise RuntimeError("it calls the result that is to be derived")
