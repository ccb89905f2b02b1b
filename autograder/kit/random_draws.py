"""Random answers -> verdicts: compare an estimate with its expected mean."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from autograder.kit.notebook.plain_data import unlike_draws
from autograder.records.questions import (
    RESULT,
    Array,
    AuthorsFunction,
    Check,
    Inputs,
    Value,
    Verdict,
    no_array,
)

Moment = float | Array | Callable[..., Any]

STANDARD_ERRORS = 6.0
LARGEST = 1e9
SEVERAL, FAR = 100, 2.0
"""From this many draws on, a variance that is off by this factor is reported."""
SAME, ALMOST = 1e-12, 0.99
"""Draws whose variance is below the first share of the right one count as constant. The second
number limits how well a draw may predict the next.
"""
SPREAD = 1.05
"""Two sets of thousands of draws from one law have spreads within this factor."""


@dataclass(frozen=True)
class Unbiased(Check):
    """A check that the mean of many draws is right.

    Args:
        name: The name of the array of draws.
        shape: The array's shape, by the case's inputs.
        estimates: Draws and the case's inputs -> one row per draw, one column per quantity.
        moments: The quantities' true means and the variances of one draw, each (quantities,).
        too_large: The message if an estimate is above its mean.
        too_small: The message if it is below.
    """

    name: str
    shape: Callable[[Inputs], tuple[int, ...]]
    estimates: Callable[[Array, Inputs], Array]
    moments: Callable[[Inputs], tuple[Array, Array]]
    too_large: str
    too_small: str
    decides: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        draws, shape = value.get(self.name), self.shape(inputs)
        if complaint := no_array(self.name, draws):
            return Verdict(0.0, complaint)
        assert isinstance(draws, np.ndarray)
        if draws.shape != shape:
            said = f"For {self.name} the shape should be {shape}, yours is {draws.shape}."
            return Verdict(0.0, said)
        if np.abs(draws).max(initial=0.0) > LARGEST:
            return Verdict(0.0, f"The numbers for {self.name} are larger than any of them can be.")
        errors = self._standard_errors(inputs, draws)
        if np.abs(errors).max() <= STANDARD_ERRORS:
            return Verdict(
                1.0, "The estimate is right on average, as far as so many draws can tell."
            )
        place = int(np.abs(errors).argmax())
        said = self.too_large if errors[place] > 0 else self.too_small
        which = "It" if errors.size == 1 else f"Quantity {place + 1} of {errors.size}"
        return Verdict(
            0.0,
            f"{said} {which} is off by {abs(errors[place]):.0f} standard errors; draws that are not "
            f"independent do that, too.{self._spread(inputs, draws, place)}",
        )

    def _spread(self, inputs: Inputs, draws: Array, place: int) -> str:
        """Return the fault in the spread of a quantity's draws, or ""."""
        estimates = self.estimates(draws, inputs)[:, place]
        if not np.ptp(estimates):
            return " All draws give the same."
        due = float(self.moments(inputs)[1][place])
        ratio = float(estimates.var()) / due if due and len(estimates) >= SEVERAL else 1.0
        if 1 / FAR <= ratio <= FAR:
            return ""
        return f" The draws also spread too {'much' if ratio > 1 else 'little'}."

    def _standard_errors(self, inputs: Inputs, draws: Array) -> Array:
        estimates = self.estimates(draws, inputs)
        mean, variance = self.moments(inputs)
        errors: Array = (estimates.mean(axis=0) - mean) / np.sqrt(variance / len(estimates))
        return errors

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 if two answers have similar spread and error, otherwise 0."""
        arrays = [item.get(self.name) for item in (value, known)]
        draws = [
            a
            for a in arrays
            if isinstance(a, np.ndarray)
            and a.shape == self.shape(inputs)
            and np.abs(a).max(initial=0.0) <= LARGEST
        ]
        if len(draws) < 2:
            return 0.0
        mine, theirs = (self._standard_errors(inputs, array) for array in draws)
        small, large = sorted(float(array.std()) for array in draws)
        alike = np.abs(mine - theirs).max() <= 2 * STANDARD_ERRORS
        return float(alike and large <= SPREAD * small)


@dataclass(frozen=True)
class Draws(Check):
    """A check that an answer returns independent draws with the right mean and variance.

    Both may be off by six standard errors, so a few thousand draws suffice. An answer returns one
    row per draw. It may receive the Generator that it draws from:

        def cases(rng):
            seed = int(rng.integers(2**32))
            return [{"numbers": rng.gamma(1, 10, 9), "draws": 4000, "rng": np.random.default_rng(seed)}]

        Question(
            "bootstrap_means",
            Draws(
                mean=lambda numbers, draws, rng: numbers.mean(),
                variance=lambda numbers, draws, rng: numbers.var() / len(numbers),
                size="draws",
            ),
            cases,
        )

    Any distribution with this mean and variance passes, so list likely wrong ones as known
    mistakes, or check the values with a `Property` as well.

    The answer, a reference and each function here get separate Generators in the same state.

    Args:
        mean: The mean of one draw: a number, an array, or a function of the case's inputs by name.
        variance: The variance in the same form; above 0.
        size: The number of draws, or the name of the input with this number.
    """

    mean: Moment
    variance: Moment
    size: int | str
    decides: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        draws = value.get(RESULT)
        said = no_array(RESULT, draws) or unlike_draws(draws, **self.shows(inputs))
        if said:
            return Verdict(0.0, f"{said[0].upper()}{said[1:]}")
        return Verdict(1.0, "Right on average, as far as so many draws can tell.")

    def shows(self, inputs: Inputs) -> Mapping[str, Any]:
        """Return the required properties of the draws."""
        moments = {"mean": self.mean, "variance": self.variance}
        found = {name: of(**inputs) if callable(of) else of for name, of in moments.items()}
        return {**found, "size": inputs[self.size] if isinstance(self.size, str) else self.size}

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the functions given as mean and variance."""
        moments = {"mean": self.mean, "variance": self.variance}
        return {name: AuthorsFunction(of) for name, of in moments.items() if callable(of)}

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 if draws could come from a known mistake, otherwise 0.

        Mean, variance and the product of each draw with the next are compared: a mistake's draws
        may depend on each other, or not vary at all.
        """
        mine, theirs = (np.asarray(one.get(RESULT)) for one in (value, known))
        if no_array(RESULT, mine) or no_array(RESULT, theirs) or mine.shape != theirs.shape:
            return 0.0
        if not theirs.size or not theirs.ndim or len(theirs) < 2:
            return 0.0
        right = np.asarray(self.shows(inputs)["variance"], dtype=float)
        mean, variance = theirs.mean(axis=0), theirs.var(axis=0)
        still = variance <= SAME * right
        size = np.sqrt(np.where(still, right, variance))
        mine, theirs = (mine - mean) / size, (theirs - mean) / size
        if np.any(still):
            far = np.abs(mine).max(axis=0) <= math.sqrt(SAME)
            if not np.all(far == still):
                return 0.0
        follow, due = ((one[1:] * one[:-1]).mean(axis=0) for one in (mine, theirs))
        number = (
            len(theirs) * (1 - np.minimum(np.abs(due), ALMOST)) / 2
        )  # pairs, for independent draws
        spread = np.sqrt(np.clip((theirs**4).mean(axis=0), 3, 50) - 1)
        off = (mine.mean(axis=0), ((mine**2).mean(axis=0) - ~still) / spread, follow - due)
        errors = np.sqrt(number) * np.abs(off)
        return float(np.all(errors <= STANDARD_ERRORS))
