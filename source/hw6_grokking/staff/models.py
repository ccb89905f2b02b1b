"""The judge's own models: weights that came back are looked at, and their loss is computed."""

import functools
import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autograder.kit import Array, Check, Inputs, Value, Verdict, Within

from . import cases, reference, saved, shared

LOG_MEAN = statistics.mean(saved.LOG_LOSSES)
"""Of 20 seeds of the right start (`make grok`)."""
HALF_WIDTH = 0.4
"""Six times the deviation of right starts, 0.065. Torch's and embeddings of deviation 1 end above the mean
by 1.8 to 2.9, and of 50 right starts the farthest is 0.20 from it."""
GROKKED = 0.25
"""Training stops at 0.2, which each of 50 right starts reaches. Torch's start reaches it from nine of twelve
seeds; from the one that is used it ends at 0.7 (0.6 to 1.0 after tiny changes of its weights). So this
question is not about the start: `initial_weights` and `log_reproduction` are."""
STANDARD_ERRORS = 6.0
FARTHEST = 3.5
"""Of n normal numbers the law is further off than this, times 1/sqrt(n), once in 10^10 draws."""
DEPENDENT = 0.8
"""A correlation over 100 models; independent numbers are beyond 0.55 once in 10^8 pairs."""
PASS = 1e-4
"""Absolute and relative, as for `fast_forward`. All is in double precision: in single precision, one of
20,000 numbers before a ReLU is in every fortieth case so near 0 that rounding gives it another sign, and
slopes jump."""
LARGEST = 10.0
"""No number of a trained model is beyond this: of 50 right starts the largest is 0.70 at the end of
`groks`. AdamW with decay 1 cannot do much more, whatever its rate: each step takes that share off a number
and adds or takes about as much, so that none gets further than about 1 beyond its start."""


def _log_loss(value: Value) -> float:
    trained, _ = shared.halves(*shared.LOG[:2])
    return float(np.log10(_loss(value, trained)))


def _test_loss(value: Value) -> float:
    _, others = shared.halves(*shared.SMALL[:2])
    return _loss(value, others)


def _loss(value: Value, pairs: Array) -> float:
    w = {name: np.asarray(value[name], dtype=float) for name in LOG_SHAPES}
    # Weights that mean nothing may overflow: such a loss is in no band.
    with np.errstate(all="ignore"):
        return reference.cross_entropy(pairs, w)


def counted_pass(inputs: Inputs) -> dict[str, Array]:
    """Return some logits of the pass whose multiply-adds are counted, and their slopes."""
    sizes = tuple((name, int(inputs[name])) for name in cases.COUNTED)
    pairs = inputs["pairs"][inputs["rows"]]
    return _counted_pass(
        sizes, int(inputs["seed"]), _frozen(pairs), _frozen(inputs["coefficients"])
    )


_Frozen = tuple[str, tuple[int, ...], bytes]


def _frozen(array: Array) -> _Frozen:
    return array.dtype.str, array.shape, array.tobytes()


@functools.lru_cache(maxsize=8)  # a case is judged again and again, and takes a second
def _counted_pass(
    sizes: tuple[tuple[str, int], ...], seed: int, pairs: _Frozen, coefficients: _Frozen
) -> dict[str, Array]:
    asked, weights = (
        np.frombuffer(data, dtype=kind).reshape(shape)
        for kind, shape, data in (pairs, coefficients)
    )
    return reference.slopes(asked, weights, shared.drawn(seed, **dict(sizes)))


@dataclass(frozen=True)
class Cheap(Check):
    """Checks a count of multiply-adds against the naive form's.

    Args:
        at_least: A smaller share is no count of all: elementwise products are not seen.
        at_most: The share that is allowed.
    """

    at_least: float
    at_most: float
    reads = "alone"
    decides: ClassVar[bool] = True
    once: ClassVar[bool] = True  # `fast_forward` itself shows whether it remembers anything
    heavy: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        counted = value.get("multiply-adds")
        if not isinstance(counted, np.ndarray) or counted.shape != ():
            return Verdict(0.0, "There is no count of multiply-adds.")
        for name, wanted in counted_pass(inputs).items():
            given = value.get(name)
            if not isinstance(given, np.ndarray) or given.shape != wanted.shape:
                return Verdict(0.0, f"In the pass that is counted {name} has not the right shape.")
            if not np.allclose(given, wanted, rtol=PASS, atol=PASS):
                return Verdict(0.0, f"In the pass that is counted {name} is not right.")
        sizes = {name: int(inputs[name]) for name in cases.COUNTED}
        naive = reference.naive_cost(len(inputs["pairs"]), **sizes)
        said = f"{float(counted) / naive:.0%} of the naive form's multiply-adds"
        if counted < self.at_least * naive:
            return Verdict(
                0.0,
                f"It takes {said}, which cannot be all: only products of torch's tensors are counted.",
            )
        if counted > self.at_most * naive:
            return Verdict(0.0, f"It takes {said}; a third is allowed.")
        return Verdict(1.0, f"It takes {said}.")

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 for the same count, 0.5 for nearly the same."""
        counts = [item.get("multiply-adds") for item in (value, known)]
        if not all(isinstance(count, np.ndarray) and count.shape == () for count in counts):
            return 0.0
        mine, theirs = (float(np.asarray(count)) for count in counts)
        return 1.0 if mine == theirs else 0.5 * float(abs(mine - theirs) <= 0.01 * theirs)


@dataclass(frozen=True)
class Drawn(Check):
    """Checks that weights are drawn from a normal law with the right deviation, by a seed.

    A value has for each matrix those of some models, as (models, *shape).
    """

    decides: ClassVar[bool] = True
    heavy: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        shapes = _drawn_shapes(inputs)
        for name, size in shapes.items():
            drawn = value.get(name)
            if not isinstance(drawn, np.ndarray) or drawn.shape != size:
                return Verdict(0.0, f"{name} should have shape {size[1:]}.")
            if not _is_drawn_again(value, name):
                return Verdict(
                    0.0,
                    f"{name}: the same seed gives other numbers when it is drawn again, after the "
                    "first weights were set to 0 (as training changes them).",
                )
            if _repeats(drawn):
                return Verdict(0.0, f"{name} is the same for two seeds.")
        if which := _dependent(value, shapes):
            return Verdict(0.0, f"{which} depend on each other; all should be independent.")
        for name in shapes:
            if complaint := _complaint(name, value[name], inputs):
                return Verdict(0.0, complaint)
        return Verdict(1.0, "Each matrix is drawn as it should be.")

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 for the same numbers, 0.5 where laws, seeds and dependence are alike."""
        shapes = _drawn_shapes(inputs)
        for name, size in shapes.items():
            pair = [item.get(name) for item in (value, known)]
            if not all(isinstance(a, np.ndarray) and a.shape == size for a in pair):
                return 0.0
        if all(np.array_equal(value[name], known[name]) for name in shapes):
            return float(_same_seeds(value, known, shapes))
        dependent = [_dependent(item, shapes) for item in (value, known)]
        alike = all(_alike(value[name], known[name]) for name in shapes)
        return 0.5 * (alike and dependent[0] == dependent[1] and _same_seeds(value, known, shapes))


def _drawn_shapes(inputs: Inputs) -> dict[str, tuple[int, ...]]:
    sizes = (int(inputs[name]) for name in ("p", "width", "hidden"))
    models = int(inputs["models"])
    return {n: (models, *size) for n, size in shared.weights_shapes(*sizes).items()}


def _repeats(drawn: Array) -> bool:
    """Return whether two models have the same matrix."""
    return len(np.unique(drawn.reshape(len(drawn), -1), axis=0)) < len(drawn)


def _complaint(name: str, drawn: Array, inputs: Inputs) -> str:
    wanted = (inputs["p"] + 1 if name == "W_U" else inputs["width"]) ** -0.5
    deviation, beyond = _moments(drawn)
    errors = np.sqrt(drawn.size) * np.array(
        [
            drawn.mean() / deviation,
            np.sqrt(2) * (deviation / wanted - 1),
            # 31.7 % of a normal law's numbers are further out than its deviation.
            (beyond - 0.3173) / 0.465,
        ]
    )
    said = (
        "the mean is not zero",
        "the standard deviation is not right",
        "the law is not normal",
    )
    for what, error in zip(said, errors, strict=True):
        if abs(error) > STANDARD_ERRORS:
            return f"{name}: {what}; it is off by {abs(error):.0f} standard errors."
    if distance_to_normal(drawn / wanted) > FARTHEST:
        return f"{name}: the law is not normal."
    return ""


def distance_to_normal(drawn: Array) -> float:
    """Return the Kolmogorov-Smirnov distance from the standard normal law, times the root of n."""
    ordered, n = np.sort(np.ravel(drawn)), drawn.size
    below = 0.5 * (1 + np.vectorize(math.erf)(ordered / np.sqrt(2)))
    steps = np.arange(n + 1) / n
    distance = max((steps[1:] - below).max(), (below - steps[:-1]).max())
    return float(np.sqrt(n) * distance)


def _is_drawn_again(value: Value, name: str) -> bool:
    """Return whether the same seed gives the same numbers of a matrix again."""
    difference = value.get(f"{name}: the same seed again", np.nan)
    return np.array_equal(difference, 0)  # a NaN is no 0, and neither is an empty array


def _same_seeds(value: Value, known: Value, shapes: Mapping[str, object]) -> bool:
    """Return whether the same seed does the same in both."""
    return all(_is_drawn_again(value, name) == _is_drawn_again(known, name) for name in shapes)


def _alike(drawn: Array, known: Array) -> bool:
    """Return whether two draws may be of one law, by their deviation and how far they reach out."""
    difference = np.abs(_moments(drawn) - _moments(known))
    allowed = STANDARD_ERRORS / np.sqrt(drawn.size) * np.array([known.std(), 0.66])
    return bool((difference <= allowed).all())


def _dependent(value: Value, shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Return where two numbers, over many models, go with each other; "" for few models."""
    models = next(iter(shapes.values()))[0]
    if models < cases.SMALL_MODELS:
        return ""
    numbers = np.concatenate([value[name].reshape(models, -1) for name in shapes], axis=1)
    owners = [name for name, size in shapes.items() for _ in range(math.prod(size[1:]))]
    numbers = numbers - numbers.mean(axis=0)
    lengths = np.linalg.norm(numbers, axis=0)
    together = np.abs(numbers.T @ numbers) > DEPENDENT * np.outer(lengths, lengths)
    np.fill_diagonal(together, val=False)
    if not together.any():
        return ""
    one, other = (owners[place[0]] for place in np.nonzero(together))
    return f"Numbers of {one}" if one == other else f"Numbers of {one} and {other}"


def _moments(drawn: Array) -> Array:
    """Return the deviation and the share of numbers that are further out than it."""
    deviation = drawn.std()
    return np.array([deviation, (np.abs(drawn) > deviation).mean()])


@dataclass(frozen=True)
class Learned(Within):
    """Within, for weights that training can give."""

    def _complaint(self, value: Value) -> str:
        if complaint := super()._complaint(value):
            return complaint
        for name in self.shapes:
            if np.abs(value[name]).max() > LARGEST:
                return (
                    f"{name} has numbers beyond {LARGEST:g}, which no training with this optimiser "
                    "and this decay gives."
                )
        return ""


def _shapes(p: int, _: float, width: int, hidden: int) -> dict[str, tuple[int, ...]]:
    return shared.weights_shapes(p, width, hidden)


LOG_SHAPES = _shapes(*shared.LOG)
SMALL_SHAPES = _shapes(*shared.SMALL)

CHEAP = Cheap(at_least=1 / 20, at_most=1 / 3)
DRAWN = Drawn()
LOG = Learned(
    LOG_SHAPES,
    _log_loss,
    f"the base-10 logarithm of the training loss after {shared.LOG_EPOCHS} epochs",
    low=LOG_MEAN - HALF_WIDTH,
    high=LOG_MEAN + HALF_WIDTH,
)
GROKS = Learned(SMALL_SHAPES, _test_loss, "the test loss", high=GROKKED)
