"""Weights -> verdicts: the judge runs its own model with them, and counts or measures."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from autograder.records.questions import Array, Check, Inputs, Value, Verdict, no_array
from autograder.records.values import agree

T = TypeVar("T")
ALIKE = 0.97
"""Two models that agree on this share of the examples are probably of the same kind."""
FIGURES_ALIKE = 0.02
"""Figures this close, relative to 1 + the figure, probably come from the same kind of model."""
MAX_SIZE = 256
"""The largest size of a free axis: a judge multiplies it with thousands of examples."""
SAME = 1e-3
"""Weights this close count as equal, though sums in a different order may differ by more."""


@dataclass(frozen=True)
class Trained(Check):
    """Weights by name, chosen or trained by anybody.

    Args:
        shapes: The arrays by name, with their shapes; a word stands for any size up to MAX_SIZE, always the same one. No other array reaches a model.
    """

    shapes: Mapping[str, tuple[int | str, ...]]
    decides: ClassVar[bool] = True
    trains: ClassVar[bool] = True

    def _complaint(self, value: Value) -> str:
        words: dict[str, int] = {}
        for name, shape in self.shapes.items():
            array = value.get(name)
            if complaint := no_array(name, array):
                return complaint
            assert isinstance(array, np.ndarray)
            wanted = tuple(
                words.setdefault(size, got) if isinstance(size, str) else size
                for got, size in zip(array.shape, shape, strict=False)
            )
            if array.ndim != len(shape) or array.shape != wanted:
                said = ", ".join(map(str, shape))
                return f"{name} should have shape ({said}), yours has {array.shape}."
        for word, size in words.items():
            if size > MAX_SIZE:
                return f"{word} may be at most {MAX_SIZE}, yours is {size:,}."
        return ""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 for the same weights, less for models with similar results."""
        complaints = self._complaint(value), self._complaint(known)
        if any(complaints):
            return float(complaints[0] == complaints[1])
        if all(agree(value[name], known[name], SAME) for name in self.shapes):
            return 1.0
        return self._does_alike(value, known)

    def _does_alike(self, value: Value, known: Value) -> float:
        raise NotImplementedError


@dataclass(frozen=True)
class Accurate(Trained):
    """A check of the share of examples on which a model is right.

    Args:
        shapes: The arrays by name, with their shapes.
        right: Weights -> whether each example is right, (n,).
        at_least: The required share.
        examples: The word for the examples.
        words: Describes what the wrong examples, given as (n,), have in common.
    """

    right: Callable[[Value], Array]
    at_least: float
    examples: str
    words: Callable[[Array], str] = lambda wrong: ""  # noqa: ARG005

    def __post_init__(self) -> None:
        """Keep everything except the weights from the model."""
        object.__setattr__(self, "right", _of_weights(self.shapes, self.right))

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:  # noqa: ARG002
        """Judge the weights: this object is the question's check."""
        if complaint := self._complaint(value):
            return Verdict(0.0, complaint)
        right = self.right(value)
        share = f"{_percent(right.mean())} of {len(right):,} {self.examples}"
        if right.mean() >= self.at_least:
            return Verdict(1.0, f"Right on {share}.")
        needed = "all are" if self.at_least == 1 else f"{_percent(self.at_least)} is"
        return Verdict(0.0, f"Right on {share}; {needed} needed. {self.words(~right)}".rstrip())

    def figure(self, value: Value) -> float:
        """Return the share of right examples."""
        return float(self.right(value).mean())

    def _does_alike(self, value: Value, known: Value) -> float:
        """Return 0.9 for models that are right on the same examples, and 0.5 if nearly so."""
        agree = (self.right(value) == self.right(known)).mean()
        return 0.9 if agree == 1 else 0.5 * float(agree >= ALIKE)


@dataclass(frozen=True)
class Within(Trained):
    """A check that a figure of a model, such as its loss, is in a band.

    Args:
        shapes: The arrays by name, with their shapes.
        figure: Weights -> the figure; a result that is not a number is in no band.
        what: The name of the figure.
        low: The lowest allowed value.
        high: The highest allowed value.
    """

    figure: Callable[[Value], float]
    what: str
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        """Keep everything except the weights from the model."""
        object.__setattr__(self, "figure", _of_weights(self.shapes, self.figure))

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:  # noqa: ARG002
        """Judge the weights: this object is the question's check."""
        if complaint := self._complaint(value):
            return Verdict(0.0, complaint)
        figure = self.figure(value)
        said = f"{self.what[0].upper()}{self.what[1:]} is {figure:.3g}"
        if math.isfinite(figure) and self.low <= figure <= self.high:
            return Verdict(1.0, f"{said}.")
        ends = {"at least": self.low, "at most": self.high}
        wanted = [f"{words} {end:.3g}" for words, end in ends.items() if math.isfinite(end)]
        if len(wanted) == 2:
            wanted = [f"between {self.low:.3g} and {self.high:.3g}"]
        return Verdict(0.0, f"{said}; {(wanted or ['a number'])[0]} is wanted.")

    def _does_alike(self, value: Value, known: Value) -> float:
        """Return 0.5 for models whose figures are nearly the same."""
        mine, theirs = self.figure(value), self.figure(known)
        return 0.5 * float(abs(mine - theirs) <= FIGURES_ALIKE * (1 + abs(theirs)))


def _of_weights(names: Collection[str], function: Callable[[Value], T]) -> Callable[[Value], T]:
    """Return a function of the weights alone, each in float64."""
    return lambda value: function({name: np.asarray(value[name], float) for name in names})


def _percent(share: float) -> str:
    """Return a share, never rounded up to "all"."""
    return f"{np.floor(1000 * share) / 10:g} %"


@dataclass(frozen=True)
class Row:
    """A figure measured in a homework's lab, beside a published one.

    Args:
        what: The name of the measurement, in words.
        reference: The published figure, in its original form.
        low: The least value of ours that counts as the same.
        high: The largest such value.
        why: The reason if ours differs, or a remark.
        form: The format in which to print our figures.
    """

    what: str
    reference: str
    low: float
    high: float
    why: str = ""
    form: str = ".3f"

    def holds(self, figures: Sequence[float]) -> bool:
        """Return whether each figure equals the reference's."""
        return all(self.low <= figure <= self.high for figure in figures)
