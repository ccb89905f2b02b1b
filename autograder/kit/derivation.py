"""A derivation -> verdict: whether its waypoints are right, and the first invalid line.

A derivation is a list of lines, each a function of the same random quantities. The lines are
evaluated in the sandbox; here only numbers are compared:

- a *value* equals the value before it; the first value equals the given first line,
  and the last equals the result of the student's own function;
- an *expectation* is a mean of draws with its standard error, and equals its neighbours
  within 6 standard errors;
- an *equation* (left, right) holds at the minimum of a loss and not elsewhere; the value after it is not
compared with earlier ones;
- a *waypoint* is a quantity that the statement names; it alone earns points.

Only the equality of numbers is checked, not the reasons for a step: a correct line may be a lucky
guess, and steps may be skipped. A person reads the reasons.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autograder.kit.checks import tolerance
from autograder.kit.comparison import distance
from autograder.kit.lines import MAX_LINES
from autograder.records.questions import Array, Check, Inputs, Value, Verdict
from autograder.records.values import differing

STANDARD_ERRORS = 6.0
# A line is a few operations, each a sum of up to 8 numbers, and may be computed in float32.
TOLERANCE = tolerance(((8, 1.0),) * 4, scale=1.0)


@dataclass(frozen=True)
class Derivation(Check):
    """A check of a derivation's lines.

    Args:
        waypoints: Name -> its right value, called with the case's inputs by name.
        first: The value of the given first line; None if it is an equation.
        result: Name of the student's function that gives the last line.
        right_result: The right result of that function; a wrong one is the first message.
        tolerance: Relative to the largest number of a line.
    """

    waypoints: Mapping[str, Callable[..., Array]]
    first: Callable[..., Array] | None
    result: str
    right_result: Callable[..., Array]
    tolerance: float = TOLERANCE
    decides: ClassVar[bool] = True
    derives: ClassVar[bool] = True

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        complaints = {name: self._waypoint(name, inputs, value) for name in self.waypoints}
        right = sum(not complaint for complaint in complaints.values())
        sentences = [f"{right} of {len(self.waypoints)} waypoints are right."]
        sentences += [
            f"`{name}`: {complaint}." for name, complaint in complaints.items() if complaint
        ]
        if broken := self.fault(inputs, value):
            sentences.append(f"{broken} (Lines between waypoints earn and cost no points.)")
        fraction = right / len(self.waypoints)
        return Verdict(fraction, " ".join(sentences), doubtful=bool(broken))

    def _waypoint(self, name: str, inputs: Inputs, value: Value) -> str:
        """Return the fault of a waypoint, or ""."""
        lines = _lines_of(value, name)
        if not lines:
            return "no line bears this name"
        for number in lines:
            if trouble := _trouble(value, number):
                return f"line {number}: {trouble}"
            got = _array(value, f"line {number}")
            if got is None:
                return f"line {number} is an equation; a waypoint is a value"
            right = self.waypoints[name](**inputs)
            if difference := self._difference(got, right):
                # The difference between two lines is no secret, but the distance from a waypoint
                # may be one.
                same = got.shape == right.shape
                if same and not distance(got, right, wrong=self._wrong(got, right)):
                    return f"line {number} is not right"
                return f"line {number} {difference}"
        return ""

    def _broken_steps(self, inputs: Inputs, value: Value) -> Iterator[str]:
        """Yield the errors between neighbouring lines, in order."""
        before, name = (self.first(**inputs) if self.first else None), "the given first line"
        error, holding = np.array(0.0), "the given first line"
        for number in _numbers(value):
            if _waypoint_of(value, number):
                continue
            here = f"line {number}"
            if trouble := _trouble(value, number):
                yield f"Line {number}: {trouble}."
                continue
            if f"{here}, left" in value:
                if before is not None and self.first is None:
                    yield f"{name.capitalize()} is a value before an equation, so nothing follows from it."
                if complaint := self._equation(value, here, holding):
                    yield complaint
                before, holding = None, here
                continue
            got = _array(value, here)
            if got is None:
                continue
            spread = _spread(value, here, got)
            if before is not None:
                both = error if spread.shape != before.shape else np.hypot(error, spread)
                if difference := self._difference(got, before, STANDARD_ERRORS * both):
                    yield f"The step from {name} to {here} is not an equality: the latter {difference}."
            before, name, error = got, here, spread
        last = _array(value, "last")
        if last is None or self._difference(last, self.right_result(**inputs)):
            yield f"The last line is made with your `{self.result}`, which is not right yet."
        elif before is not None:
            allowed = STANDARD_ERRORS * error
            if difference := self._difference(before, last, allowed):
                yield f"The step from {name} to the last line, which is made with your `{self.result}`, is not an equality: the former {difference}."

    def _equation(self, value: Value, here: str, holding: str) -> str:
        sides = {
            side: _array(value, f"{here}, {side}")
            for side in ("left", "right", "left anywhere", "right anywhere")
        }
        if any(side is None for side in sides.values()):
            return f"L{here[1:]} could not be read."
        left, right = _broadcast(sides["left"], sides["right"])
        elsewhere = _broadcast(sides["left anywhere"], sides["right anywhere"])
        if left.shape != right.shape or elsewhere[0].shape != elsewhere[1].shape:
            return f"L{here[1:]}: its sides have shapes {left.shape} and {right.shape}."
        # Both sides may be 0 at the minimum, so their size elsewhere sets the scale.
        allowed = self.tolerance * max(float(np.abs(side).max(initial=0.0)) for side in elsewhere)
        gap = float(np.abs(left - right).max(initial=0.0))
        if not gap <= allowed:
            return (
                f"The step from {holding} to {here} is not right: at the minimum its sides differ "
                f"by up to {gap:.2g}."
            )
        if float(np.abs(elsewhere[0] - elsewhere[1]).max(initial=0.0)) <= allowed:
            return f"L{here[1:]} is also true at a random W, so it does not determine the minimum."
        return ""

    def _difference(self, got: Array, right: Array, allowed: Array | float = 0.0) -> str:
        """Return how two lines differ, or ""."""
        if got.shape != right.shape:
            return f"has shape {got.shape} where {right.shape} belongs"
        if not np.isfinite(got).all():
            return "contains NaN or infinity"
        if not self._wrong(got, right, allowed).any():
            return ""
        return f"is off by up to {float(np.abs(got - right).max()):.2g}"

    def _wrong(self, got: Array, right: Array, allowed: Array | float = 0.0) -> Array:
        """Return which numbers of a line are wrong."""
        size = max(float(np.abs(right).max(initial=0.0)), float(np.abs(got).max(initial=0.0)))
        return np.asarray(differing(got, right, 1.0, self.tolerance * max(size, 1e-300) + allowed))

    def fault(self, inputs: Inputs, value: Value) -> str:
        """Return the message on the first invalid line, or ""."""
        return next(self._broken_steps(inputs, value), "")

    def steps(self, value: Value) -> list[tuple[int, int, bool]]:
        """Return each step between neighbouring values: two line numbers, and whether it is right.

        It leaves out waypoints, the given first line and the student's function, and returns
        nothing if a line is an equation or could not be evaluated.
        """
        found: list[tuple[int, int, bool]] = []
        before: tuple[int, Array, Array] | None = None
        for number in _numbers(value):
            if _waypoint_of(value, number):
                continue
            got = _array(value, f"line {number}")
            if got is None or _trouble(value, number):
                return []
            spread = _spread(value, f"line {number}", got)
            if before is not None:
                both = spread if before[2].shape != spread.shape else np.hypot(before[2], spread)
                differs = self._difference(got, before[1], STANDARD_ERRORS * both)
                found.append((before[0], number, not differs))
            before = number, got, spread
        return found

    def graded(self, value: Value) -> Value:
        """Return the part that earns points: the waypoints, without the lines between them."""
        return {
            _waypoint_of(value, n): value[f"line {n}"]
            for n in _numbers(value)
            if _waypoint_of(value, n) and f"line {n}" in value
        }

    @np.errstate(over="ignore", invalid="ignore")
    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 if the same waypoints are wrong in the same way, otherwise 0."""
        mine, theirs = (self._mistakes(inputs, item) for item in (value, known))
        if not theirs or mine.keys() != theirs.keys():
            return 0.0
        return float(all(self._same(mine[name], theirs[name]) for name in theirs))

    def _same(self, mine: Array | str, theirs: Array | str) -> bool:
        if isinstance(mine, str) or isinstance(theirs, str):
            return isinstance(mine, str) and isinstance(theirs, str) and mine == theirs
        return not self._difference(mine, theirs)

    def _mistakes(self, inputs: Inputs, value: Value) -> dict[str, Array | str]:
        """Return each wrong waypoint's first value, or a message if it has none."""
        found: dict[str, Array | str] = {}
        for name in self.waypoints:
            if complaint := self._waypoint(name, inputs, value):
                arrays = (_array(value, f"line {n}") for n in _lines_of(value, name))
                first = next((array for array in arrays if array is not None), None)
                found[name] = complaint.split(": ", 1)[-1] if first is None else first
        return found


def _numbers(value: Value) -> range:
    """Return the lines' numbers; their count comes from the sandbox, so it is bounded here."""
    count = value.get("lines")
    if not isinstance(count, np.ndarray) or count.shape != ():
        return range(0)
    return range(1, 1 + min(int(count), MAX_LINES))


def _lines_of(value: Value, waypoint: str) -> list[int]:
    return [number for number in _numbers(value) if _waypoint_of(value, number) == waypoint]


def _waypoint_of(value: Value, number: int) -> str:
    return _text(value, f"line {number}, waypoint")


def _trouble(value: Value, number: int) -> str:
    return _text(value, f"line {number}, trouble")


def _text(value: Value, name: str) -> str:
    item = value.get(name)
    return item if isinstance(item, str) else ""


def _spread(value: Value, line: str, got: Array) -> Array:
    """Return the standard errors of a line's numbers; 0 where the line is no expectation."""
    spread = _array(value, f"{line}, error")
    return np.zeros(got.shape) if spread is None or spread.shape != got.shape else spread


def _array(value: Value, name: str) -> Array | None:
    item = value.get(name)
    return item if isinstance(item, np.ndarray) else None


def _broadcast(left: Array | None, right: Array | None) -> tuple[Array, Array]:
    """Return both sides in one shape, if one of them is a number such as 0."""
    assert left is not None
    assert right is not None
    if left.ndim == 0 or right.ndim == 0:
        left, right = np.broadcast_arrays(left, right)
    return left, right
