"""What an algorithm costs: formulas that a student states, and counts that the sandbox made."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autograder.model import Array, Inputs, Value, Verdict

Formula = Callable[[float, float, float, float], float]
GROWTH = 1024.0
FEW = 3
FACTOR = 8.0


Together = tuple[tuple[str, ...], ...]
"""Which variables grow at the same time, a growth each."""


def growing_points(
    rng: np.random.Generator, *, variables: Sequence[str], together: Together, larger: str
) -> dict[str, Array]:
    """Return points at which formulas are compared: a few, and each of them grown in every way.

    Args:
        rng: Draws the few, each variable between 16 and 64.
        variables: Their names.
        together: Which of them grow by GROWTH at the same time.
        larger: A variable that is always at least as large as the others that it grows with.
    """
    points = []
    for _ in range(FEW):
        base = np.exp(rng.uniform(math.log(16), math.log(64), size=len(variables))).round()
        base *= [4.0 if name == larger else 1.0 for name in variables]
        points.append(base)
        for grown in together:
            points.append(base * [GROWTH if name in grown else 1.0 for name in variables])
    return dict(zip(variables, np.transpose(points), strict=True))


@dataclass(frozen=True)
class SameGrowth:
    """Checks that formulas grow as the right ones do, whatever factors they have.

    A formula is right when its ratio to a right one stays within FACTOR while the variables
    grow by GROWTH, alone and together.

    Args:
        formulas: Name -> the right formulas, of which one must fit.
        variables: The names of what they depend on.
        together: As it was given to `growing_points`.
    """

    formulas: Mapping[str, Sequence[Formula]]
    variables: Sequence[str]
    together: Together
    decides: ClassVar[bool] = True

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
            return got
        points = np.array([inputs[variable] for variable in self.variables]).T
        if not isinstance(got, np.ndarray) or got.shape != points.shape[:1] or not (got > 0).all():
            return "it should give a positive number for all sizes"
        for formula in self.formulas[name]:
            ratio = got / np.array([formula(*point) for point in points])
            if ratio.max() / ratio.min() <= FACTOR:
                return ""
        return self._growth(name, points, got)

    def _growth(self, name: str, points: Array, got: Array) -> str:
        """Say with which variables a formula grows too much or too little."""
        formula = self.formulas[name][0]
        right = np.array([formula(*point) for point in points])
        step = len(self.together) + 1
        for n, names in enumerate(self.together, start=1):
            ratio = (got[n::step] / got[::step]) / (right[n::step] / right[::step])
            if ratio.max() > FACTOR or ratio.min() < 1 / FACTOR:
                how = "faster" if ratio.max() > FACTOR else "more slowly"
                what = (
                    f"{names[0]} alone grows" if len(names) == 1 else f"{' and '.join(names)} grow"
                )
                return f"as {what}, it grows {how} than the true cost"
        return "the terms do not weigh as they should beside each other"

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 where the same formulas are wrong and grow alike, else 0."""
        mine, theirs = (
            {name: item.get(name) for name in self.formulas if self._complaint(name, inputs, item)}
            for item in (value, known)
        )
        alike = (_alike(mine[name], theirs[name]) for name in theirs if name in mine)
        return float(mine.keys() == theirs.keys() and all(alike))


def _alike(one: Array | str | None, other: Array | str | None) -> bool:
    """Whether two wrong formulas grow alike; one that gives no positive numbers is like no other."""
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return isinstance(one, str) and one == other
    if one.shape != other.shape or not ((one > 0) & (other > 0)).all():
        return False
    ratio = one / other
    return bool(ratio.max() / ratio.min() <= FACTOR)


@dataclass(frozen=True)
class LinearInLength:
    """Checks that what a function holds and computes grows no faster than the length.

    Args:
        ratio: Operations at the longer length may be so many times those at the shorter.
        held: The largest tensor may hold so many times N C M numbers.
    """

    ratio: float
    held: float
    decides: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case.

        Args:
            inputs: short and long, the lengths; C and M.
            value: operations and largest, at each length that was reached; shape and expected_shape.
        """
        kind, message = self._found(inputs, value)
        return Verdict(float(kind == "linear"), message)

    def _found(self, inputs: Inputs, value: Value) -> tuple[str, str]:
        """Return in a word what a count shows, and in a sentence."""
        names = ("operations", "largest", "shape", "expected_shape")
        arrays = [value.get(name) for name in names]
        if not all(isinstance(item, np.ndarray) and item.ndim == 1 for item in arrays):
            return "nothing", "The count could not be read."
        operations, largest, shape, expected = (a.tolist() for a in arrays if a is not None)
        lengths = (inputs["short"], inputs["long"])
        if shape != expected:
            return "shape", f"The output should have shape {expected}, yours has {shape}."
        for length, numbers in zip(lengths, largest, strict=False):
            all_features = length * inputs["C"] * inputs["M"]
            if numbers > self.held * all_features:
                return "holds", (
                    f"For N = {length}, C = {inputs['C']} and M = {inputs['M']} it makes a tensor of "
                    f"{numbers:,} numbers; the linear form never needs more than a few times "
                    f"N C M = {all_features:,}. Is there one number for each pair?"
                )
        if len(operations) != 2 or len(largest) != 2 or operations[0] <= 0:
            return "nothing", "The count could not be read."
        rows, times = lengths[1] // lengths[0], operations[1] / operations[0]
        if times > self.ratio:
            return "grows", (
                f"With {rows} times as many rows it does {times:.1f} times as many operations: is "
                "something done again for each query that all queries share?"
            )
        return "linear", f"{rows} times the rows take {times:.1f} times the operations."

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 where both counts show the same, else 0."""
        return float(self._found(inputs, value)[0] == self._found(inputs, known)[0])
