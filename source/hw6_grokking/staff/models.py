"""The judge's own models: weights that came back are looked at, and their loss is computed."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from autograder.marks.trained import Within
from autograder.model import Array, Check, Inputs, Value, Verdict

from . import cases, reference, saved

LOG_MEAN = statistics.mean(saved.LOG_LOSSES)
"""Of 20 seeds of the right start (`make grok`)."""
HALF_WIDTH = 0.15
GROKKED = 0.25
"""Of 50 right starts the worst ends at 0.131. Torch's ends at 0.49 from our seed, and groks from others."""
STANDARD_ERRORS = 6.0


def halves(p: int, share: float) -> tuple[Array, Array]:
    """Return the pairs that the adapters train on, and the others."""
    order = np.random.default_rng(6).permutation(p * p)
    pairs = np.stack(np.divmod(order, p), axis=1)
    return pairs[: int(share * p * p)], pairs[int(share * p * p) :]


def _log_loss(value: Value) -> float:
    trained, _ = halves(97, 0.3)
    return float(np.log10(_loss(value, trained)))


def _test_loss(value: Value) -> float:
    _, others = halves(53, 0.8)
    return _loss(value, others)


def _loss(value: Value, pairs: Array) -> float:
    w = {name: np.asarray(value[name], dtype=float) for name in LOG_SHAPES}
    # Weights that mean nothing may overflow: such a loss is in no band.
    with np.errstate(all="ignore"):
        return reference.cross_entropy(pairs, w)


def counted_logits(pairs: Array, sizes: Mapping[str, int]) -> Array:
    """Return the logits of the first pairs in the pass whose multiply-adds are counted."""
    rng = np.random.default_rng(66)
    w = {
        name: rng.normal(size=size) / sizes["width"] ** 0.5
        for name, size in reference.weights_shapes(**sizes).items()
    }
    result: Array = reference.logits(pairs[:5], w)[:, -1]
    return result


@dataclass(frozen=True)
class Cheap(Check):
    """Checks a count of multiply-adds against the naive form's.

    Args:
        at_least: A smaller share is no count of all: elementwise products are not seen.
        at_most: The share that is allowed.
    """

    at_least: float
    at_most: float
    decides: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        counted = value.get("multiply-adds")
        if not isinstance(counted, np.ndarray) or counted.shape != ():
            return Verdict(0.0, "There is no count of multiply-adds.")
        sizes = {name: int(inputs[name]) for name in cases.COUNTED}
        wanted = counted_logits(inputs["pairs"], sizes)
        given = value.get("the logits of the first pairs")
        if not isinstance(given, np.ndarray) or given.shape != wanted.shape:
            return Verdict(0.0, "There are no logits of what was counted.")
        if not np.allclose(given, wanted, rtol=1e-3, atol=1e-3):
            return Verdict(0.0, "The logits of the pass that was counted are not right.")
        naive = reference.naive_cost(len(inputs["pairs"]), **sizes)
        said = f"{float(counted) / naive:.0%} of the naive form's multiply-adds"
        if counted < self.at_least * naive:
            return Verdict(
                0.0,
                f"It takes {said} as PyTorch counts them, which cannot be all: it counts products of "
                "matrices only. Write sums of products as such.",
            )
        if counted > self.at_most * naive:
            return Verdict(0.0, f"It takes {said}; a third is allowed.")
        return Verdict(1.0, f"It takes {said}.")

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 for the same count."""
        return float(np.array_equal(value.get("multiply-adds", 0), known.get("multiply-adds", 1)))


@dataclass(frozen=True)
class Drawn(Check):
    """Checks that weights are drawn from a normal law with the right deviation, by a seed."""

    decides: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        sizes = {name: int(inputs[name]) for name in cases.DRAWN}
        for name, size in reference.weights_shapes(**sizes).items():
            drawn = value.get(name)
            if not isinstance(drawn, np.ndarray) or drawn.shape != size:
                return Verdict(0.0, f"{name} should have shape {size}.")
            if complaint := self._complaint(name, drawn, sizes, value):
                return Verdict(0.0, complaint)
        if which := _dependent(value, reference.weights_shapes(**sizes)):
            said = f"{which} begin with numbers that depend on each other."
            return Verdict(0.0, said)
        return Verdict(1.0, "Each matrix is drawn as it should be.")

    def _complaint(self, name: str, drawn: Array, sizes: Mapping[str, int], value: Value) -> str:
        if np.any(value.get(f"{name}: the same seed again", 1) > 0):
            return f"{name} is drawn anew although the seed is the same."
        if not np.all(value.get(f"{name}: another seed", 0) > 0):
            return f"{name} is the same for two seeds."
        errors = _errors(name, drawn, sizes)
        said = (
            "the mean is not zero",
            "the standard deviation is not right",
            "the law is not normal",
        )
        for what, error in zip(said, errors, strict=True):
            if abs(error) > STANDARD_ERRORS:
                return f"{name}: {what}; it is off by {abs(error):.0f} standard errors."
        return ""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 for the same numbers, 0.5 where laws, seeds and dependence are alike."""
        shapes = reference.weights_shapes(**{name: int(inputs[name]) for name in cases.DRAWN})
        for name, size in shapes.items():
            pair = [item.get(name) for item in (value, known)]
            if not all(isinstance(a, np.ndarray) and a.shape == size for a in pair):
                return 0.0
        if all(np.array_equal(value[name], known[name]) for name in shapes):
            return float(_same_seeds(value, known, shapes))
        dependent = [_dependent(item, shapes) for item in (value, known)]
        alike = all(_alike(value[name], known[name]) for name in shapes)
        return 0.5 * (alike and dependent[0] == dependent[1] and _same_seeds(value, known, shapes))


def _same_seeds(value: Value, known: Value, shapes: Mapping[str, object]) -> bool:
    """Return whether the same seed and another one do the same in both."""
    kinds = ("the same seed again", "another seed")
    return all(
        np.any(value.get(f"{name}: {kind}", 0) > 0) == np.any(known.get(f"{name}: {kind}", 0) > 0)
        for name in shapes
        for kind in kinds
    )


def _alike(drawn: Array, known: Array) -> bool:
    """Return whether two draws may be of one law, by their deviation and how far they reach out."""
    difference = np.abs(_moments(drawn) - _moments(known))
    allowed = STANDARD_ERRORS / np.sqrt(drawn.size) * np.array([known.std(), 0.66])
    return bool((difference <= allowed).all())


def _dependent(value: Value, shapes: Mapping[str, object]) -> str:
    """Return the first two matrices, if any, that begin with numbers that depend on each other."""
    for one, other in combinations(shapes, 2):
        first, second = (np.ravel(value[name]) for name in (one, other))
        count = min(len(first), len(second))
        if abs(np.corrcoef(first[:count], second[:count])[0, 1]) * count**0.5 > STANDARD_ERRORS:
            return f"{one} and {other}"
    return ""


def _moments(drawn: Array) -> Array:
    """Return the deviation and the share of numbers that are further out than it."""
    deviation = drawn.std()
    return np.array([deviation, (np.abs(drawn) > deviation).mean()])


def _errors(name: str, drawn: Array, sizes: Mapping[str, int]) -> tuple[float, float, float]:
    """Return how far off mean, deviation and shape are, in standard errors."""
    root = np.sqrt(drawn.size)
    wanted = (sizes["p"] + 1 if name == "W_U" else sizes["width"]) ** -0.5
    deviation, beyond = _moments(drawn)
    return (
        float(root * drawn.mean() / wanted),
        float(root * np.sqrt(2) * (deviation / wanted - 1)),
        # 31.7 % of a normal law's numbers are further out than its deviation.
        float(root * (beyond - 0.3173) / 0.465),
    )


LOG_SHAPES = reference.weights_shapes(97, 128, 512)
SMALL_SHAPES = reference.weights_shapes(53, 64, 128)

CHEAP = Cheap(at_least=1 / 20, at_most=1 / 3)
DRAWN = Drawn()
LOG = Within(
    LOG_SHAPES,
    _log_loss,
    "the base-10 logarithm of the training loss after 400 epochs",
    low=LOG_MEAN - HALF_WIDTH,
    high=LOG_MEAN + HALF_WIDTH,
)
GROKS = Within(SMALL_SHAPES, _test_loss, "the test loss", high=GROKKED)
