"""Costs of an algorithm: formulas that a student states, and the sandbox's counts."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from autograder.kit.checks import Close
from autograder.records.data import MAX_DIMENSIONS
from autograder.records.questions import (
    STEPS,
    Array,
    Check,
    Inputs,
    Reads,
    Value,
    Verdict,
    no_array,
)
from autograder.records.values import agree

Formula = Callable[[float, float, float, float], float]
BASES = 3
SMALL = math.log(8), math.log(64)
GROWTH = 1024.0
FACTOR = 8.0
EQUAL = 1e-6


def growing_points(
    rng: np.random.Generator, variables: Sequence[str], at_most: Mapping[str, str]
) -> dict[str, Array]:
    """Return points for comparing formulas: a few, and each again with some larger variables.

    Args:
        rng: Draws the first few: each variable is between 8 and 64, or a multiple of one that it
            bounds.
        variables: The names of the variables.
        at_most: Variable -> a variable that is at least as large, so that the first never grows
            alone.
    """
    points = []
    for _ in range(BASES):
        base = dict(zip(variables, np.exp(rng.uniform(*SMALL, size=len(variables))), strict=True))
        for name, larger in at_most.items():
            base[larger] *= base[name]
        points += [
            [base[name].round() * (GROWTH if name in grown else 1) for name in variables]
            for number in range(len(variables) + 1)
            for grown in combinations(variables, number)
            if all(larger in grown for name, larger in at_most.items() if name in grown)
        ]
    return dict(zip(variables, np.transpose(points), strict=True))


@dataclass(frozen=True)
class SameGrowth(Check):
    """A check that formulas grow like the right ones, whatever their factors.

    A formula is right if its ratio to a right one stays within FACTOR while any of the variables
    grow by GROWTH.

    Args:
        formulas: Name -> the right formulas, one of which must fit.
        variables: The names of their variables.
    """

    formulas: Mapping[str, Sequence[Formula]]
    variables: Sequence[str]
    decides: ClassVar[bool] = True

    @np.errstate(all="ignore")
    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        complaints = {name: self._complaint(name, inputs, value) for name in self.formulas}
        wrong = [f"`{name}`: {text}." for name, text in complaints.items() if text]
        fraction = 1 - len(wrong) / len(self.formulas)
        if not wrong:
            return Verdict(1.0, "Each formula grows as it should.")
        return Verdict(fraction, " ".join(wrong))

    def _complaint(self, name: str, inputs: Inputs, value: Value) -> str:
        got = value.get(name)
        if isinstance(got, str):
            return got or "it gives no numbers"
        points = np.array([inputs[variable] for variable in self.variables]).T
        if (
            not isinstance(got, np.ndarray)
            or got.shape != points.shape[:1]
            or not (np.isfinite(got) & (got > 0)).all()
        ):
            return "it should give a positive number for all sizes"
        for formula in self.formulas[name]:
            ratio = got / np.array([formula(*point) for point in points])
            if ratio.max() / ratio.min() <= FACTOR:
                return ""
        return self._growth(name, points, got)

    def _growth(self, name: str, points: Array, got: Array) -> str:
        """Return the fewest variables with which a formula grows too much or too little.

        They must show it against every right formula from one of the first few points, and no
        other of these may contradict it.
        """
        rights = np.array([[right(*p) for p in points] for right in self.formulas[name]])
        size = len(points) // BASES
        ratios = (got / rights).reshape(len(rights), BASES, size)
        changes = ratios / ratios[:, :, :1]  # (formulas, BASES, sets of variables)
        for n in range(size):
            faster = bool((changes[:, :, n] > 1 - EQUAL).all())
            # Equal growth, as where the same term dominates both, contradicts neither.
            change = changes[:, :, n] if faster else 1 / changes[:, :, n]
            if (change > 1 - EQUAL).all() and (change > FACTOR).all(axis=0).any():
                larger = points[n] > points[0]
                grown = [v for v, grows in zip(self.variables, larger, strict=True) if grows]
                alone = "alone grows" if len(grown) == 1 else "grow"
                how = "faster" if faster else "more slowly"
                names = " and ".join([", ".join(grown[:-1])] * (len(grown) > 1) + grown[-1:])
                return f"as {names} {alone}, it grows {how} than the true cost"
        # If it fits a right formula while at most one size grows, several large sizes are the
        # cause.
        few = (points > np.repeat(points[::size], size, axis=0)).sum(axis=1) < 2
        alone = (got / rights)[:, few]
        several = (alone.max(axis=1) <= FACTOR * alone.min(axis=1)).any()
        when = " when several of the sizes are large" * bool(several)
        return f"it does not grow as the true cost does{when}"

    @np.errstate(all="ignore")
    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 if the same formulas are wrong and grow alike, otherwise 0."""
        mine, theirs = (
            {name: item.get(name) for name in self.formulas if self._complaint(name, inputs, item)}
            for item in (value, known)
        )
        alike = (_alike(mine[name], theirs[name]) for name in theirs if name in mine)
        return float(mine.keys() == theirs.keys() and all(alike))


def _alike(one: Array | str | None, other: Array | str | None) -> bool:
    """Return whether two wrong formulas grow alike; those without positive numbers match none."""
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return isinstance(one, str) and isinstance(other, str) and one == other
    if not one.size or one.shape != other.shape or not ((one > 0) & (other > 0)).all():
        return False
    ratio = one / other
    return bool(ratio.max() / ratio.min() <= FACTOR)


@dataclass(frozen=True)
class LinearInLength(Check):
    """A check that a function's memory and operations grow no faster than the input's length.

    Args:
        ratio: The largest allowed ratio of operations at the longer and the shorter length.
        held: The largest allowed tensor, in multiples of N C M numbers; N is the length.
        rows: Some rows of the outputs, by the case's inputs, at the shorter length and at the
            longer one: only right results are counted.
        tolerance: The tolerance for these rows, absolute and relative.
    """

    ratio: float
    held: float
    rows: Callable[[Inputs], Array]
    tolerance: float
    reads: ClassVar[Reads] = "alone"
    decides: ClassVar[bool] = True
    heavy: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case.

        Args:
            inputs: short and long, the lengths; C and M.
            value: operations and largest, at each length that was reached; rows of the outputs;
                shape and expected_shape.
        """
        kind, message = self._found(inputs, value)
        return Verdict(float(kind == "linear"), message)

    def _found(self, inputs: Inputs, value: Value) -> tuple[str, str]:
        """Return a word and a sentence on the result of a count."""
        names = ("operations", "largest", "shape", "expected_shape")
        arrays = [value.get(name) for name in names]
        if not all(
            isinstance(item, np.ndarray)
            and not no_array("", item)
            and item.ndim == 1
            and len(item) <= most
            for item, most in zip(arrays, (2, 2, MAX_DIMENSIONS, MAX_DIMENSIONS), strict=True)
        ):
            return "nothing", "The count could not be read."
        operations, largest, shape, expected = (a.tolist() for a in arrays if a is not None)
        lengths = (inputs["short"], inputs["long"])
        if shape != expected:
            return "shape", f"The output should have shape {expected}, yours has {shape}."
        for length, numbers in zip(lengths, largest, strict=False):
            features = length * inputs["C"] * inputs["M"]
            if numbers > self.held * features:
                pairs = numbers >= length**2
                return "pairs" if pairs else "holds", (
                    f"For N = {length}, C = {inputs['C']} and M = {inputs['M']} it makes a tensor of "
                    f"{numbers:,} numbers; the linear form never needs more than a few times "
                    f"N C M = {features:,}." + " Is there one number for each pair?" * pairs
                )
        if len(operations) != 2 or len(largest) != 2 or operations[0] <= 0:
            return "nothing", "The count could not be read."
        rows, right = value.get("rows"), self.rows(inputs)
        if not isinstance(rows, np.ndarray) or rows.shape != right.shape:
            return "nothing", "The count could not be read."
        if not agree(rows, right, self.tolerance):
            return "values", (
                f"With N = {lengths[0]} or {lengths[1]} some rows of the output are not right, so "
                "there is nothing to count."
            )
        longer, times = lengths[1] // lengths[0], operations[1] / operations[0]
        if times > self.ratio:
            return "grows", (
                f"With {longer} times as many rows it does {times:.1f} times as many operations: is "
                "something done again for each query that all queries share?"
            )
        return "linear", f"{longer} times the rows take {times:.1f} times the operations."

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 if both counts show the same, otherwise 0."""
        return float(self._found(inputs, value)[0] == self._found(inputs, known)[0])


@dataclass(frozen=True)
class NoLoop(Close):
    """Like `Close`, but the answer must not loop over its input in Python.

    All lines and calls that Python runs during the evaluation are counted, including numpy's and
    torch's own. Draw inputs long enough, such as 1,000 rows, that any loop over them exceeds the
    limit. The count is made beside the student's code, which could forge it, unlike the numbers.

    Args:
        steps: Fewer steps are not a loop. One numpy call takes fewer than 20, a torch layer fewer than 50.
    """

    steps: int = 300
    reads: ClassVar[Reads] = "steps"

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case: first the numbers, then the steps that they took."""
        verdict = super().__call__(inputs, value)
        if verdict.fraction < 1:
            return verdict
        steps = _steps(value)
        if steps is None:
            return Verdict(0.0, "The count of steps could not be read.")
        if steps <= self.steps:
            return verdict
        where = self.describe(inputs)
        return Verdict(
            0.0,
            f"{f'For {where}: ' if where else ''}the numbers are right, but Python runs {steps:,} "
            "lines for them: is there a loop over what is given? Compute all of them at once.",
        )

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return the likeness of the numbers; 0 if only one of the two answers loops."""
        mine, theirs = _steps(value) or 0, _steps(known) or 0
        if (mine > self.steps) is not (theirs > self.steps):
            return 0.0
        return super().likeness(inputs, _numbers_alone(value), _numbers_alone(known))


def _steps(value: Value) -> int | None:
    found = value.get(STEPS)
    if isinstance(found, np.ndarray) and found.shape == (1,) and 0 <= found[0] < math.inf:
        return int(found[0])
    return None


def _numbers_alone(value: Value) -> Value:
    return {name: item for name, item in value.items() if name != STEPS}
