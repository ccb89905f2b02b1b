"""The judge's own models: weights that came back are tried on every context, and counted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from autograder.kit import Accurate, Array, Inputs, Value, Verdict, Within

from . import reference, shared

TIMES = 3
"""So many times the paper's lower bound has to be remembered."""
EVENLY = 1 / 3
"""Of one half of the contexts so much has to be remembered, beside the other half: all are trained on."""


def _right(value: Value, prefix: str, setting: tuple[int, int]) -> Array:
    contexts, tokens = shared.law(*setting)
    w = {name: value[f"{prefix}{name}"] for name in reference.WEIGHTS}
    found: Array = reference.logits(contexts, w).argmax(axis=1) == tokens
    return found


def _with_more_heads(value: Value) -> Array:
    """Return which associations are remembered, for each number of heads in a row."""
    return np.concatenate([_right(value, f"{heads}: ", shared.MANY[:2]) for heads in shared.HEADS])


def _frozen(value: Value) -> Array:
    return np.concatenate([_right(value, f"{what}: ", shared.FEW[:2]) for what in PARTS])


@dataclass(frozen=True)
class Remembers(Accurate):
    """Checks that models with more heads remember more, and each some times the paper's bound.

    Every weight has to have moved, and no half of the contexts may be left out. Else a model whose
    attention is never trained, or one that sees half of the contexts, may count as much as others do.

    Args:
        seed: Of the weights with which training began.
    """

    seed: int = 0

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:  # noqa: ARG002
        """Judge the weights."""
        if complaint := self._complaint(value) or self._unmoved(value):
            return Verdict(0.0, complaint)
        counts, every = self._counts(value), len(self.right(value)) // len(shared.HEADS)
        said = ", ".join(
            f"{count} with {heads} head{'s' * (heads > 1)}"
            for heads, count in zip(shared.HEADS, counts, strict=True)
        )
        said = f"Of {every} associations, {said}"
        for heads, count in zip(shared.HEADS, counts, strict=True):
            least = self.at_least * _bound(heads)
            if count < least:
                return Verdict(0.0, f"{said}; at least {least:g} with {heads} are needed.")
        halves = self.right(value).reshape(len(shared.HEADS), 2, -1).sum(axis=(0, 2))
        if halves.min() < EVENLY * halves.max():
            of_each = f"{halves[0]} in the first half of the contexts, {halves[1]} in the second"
            return Verdict(0.0, f"{said}; of all these {of_each}. Train on all contexts.")
        if any(not before < after and before < every for before, after in pairwise(counts)):
            return Verdict(0.0, f"{said}; more heads should remember more.")
        return Verdict(1.0, f"{said}.")

    def figure(self, value: Value) -> float:
        """Return how many times the bound is remembered, with the number of heads where it is least."""
        return min(
            count / _bound(heads)
            for heads, count in zip(shared.HEADS, self._counts(value), strict=True)
        )

    def _unmoved(self, value: Value) -> str:
        """Say which weight has not moved; all are to be trained."""
        for heads in shared.HEADS:
            begun = shared.start(shared.MANY[0], shared.MANY[2], heads, self.seed, shared.SPREAD)
            for name, item in begun.items():
                if _same(value[f"{heads}: {name}"], item):
                    return f"With all weights to be trained, {name} has not moved, or hardly."
        return ""

    def _counts(self, value: Value) -> list[int]:
        """Return how many are remembered, for each number of heads."""
        right = self.right(value).reshape(len(shared.HEADS), -1)
        return [int(count) for count in right.sum(axis=1)]


def _same(found: Array, begun: Array) -> bool:
    return np.allclose(found, begun, rtol=1e-6, atol=1e-6)


def _bound(heads: int) -> int:
    """Return the paper's lower bound on what so many heads can remember."""
    d = shared.MANY[2]
    return heads * d + d


@dataclass(frozen=True)
class Frozen(Accurate):
    """Checks that only what should be trained has moved, and how far training got.

    Args:
        seed: Of the weights with which training began.
    """

    seed: int = 0

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:  # noqa: ARG002
        """Judge the weights."""
        if complaint := self._complaint(value):
            return Verdict(0.0, complaint)
        if complaint := self._moved(value):
            return Verdict(0.0, complaint)
        shares = self.right(value).reshape(len(PARTS), -1).mean(axis=1)
        said = "; ".join(
            f"{what} trained: {share:.0%} remembered"
            for what, share in zip(PARTS, shares, strict=True)
        )
        for what, share, least in zip(PARTS, shares, (ALONE, self.at_least), strict=True):
            if share < least:
                return Verdict(0.0, f"{said}. With {what} trained {least:.0%} is needed.")
        return Verdict(1.0, f"{said}.")

    def figure(self, value: Value) -> float:
        """Return the share that is remembered with all but W_O trained."""
        return float(self.right(value).reshape(len(PARTS), -1)[1].mean())

    def _moved(self, value: Value) -> str:
        """Say what has moved and should not have, or the other way round."""
        N, _, d, heads = shared.FEW
        for name, begun in shared.start(N, d, heads, self.seed).items():
            for what in PARTS:
                trained = (name == "W_O") == (what == "W_O alone")
                same = _same(value[f"{what}: {name}"], begun)
                if same and trained:
                    return f"With {what} to be trained, {name} has not moved, or hardly."
                if not same and not trained:
                    return f"With {what} to be trained, {name} has moved, too."
        return ""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how alike two answers are; the same complaint about what moved is nearly the same."""
        if not (self._complaint(value) or self._complaint(known)):
            said = self._moved(value), self._moved(known)
            if any(said):
                return 0.9 * float(said[0] == said[1])
        return Accurate.likeness(self, inputs, value, known)


def _divergence(w: Mapping[str, Array], skips: Collection[str]) -> float:
    """Return a model's mean divergence from the uneven law, each context weighted by its probability."""
    contexts, law, chances = shared.uneven_law()
    logits = reference.logits(contexts, w, skips)
    logits = logits - logits.max(axis=1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    each = (law * (np.log(law) - logs)).sum(axis=1)
    return float(each @ chances)


def _left(value: Value) -> float:
    """Return what is left of the uniform answer's divergence, of the model that has more left."""
    N = shared.UNEVEN[0]
    _, law, chances = shared.uneven_law()
    uniform = np.log(N) + float((law * np.log(law)).sum(axis=1) @ chances)
    return float(
        max(
            _divergence({name: value[f"{what}: {name}"] for name in reference.WEIGHTS}, skips)
            for what, skips in LEFT_OUT.items()
        )
        / uniform
    )


@dataclass(frozen=True)
class Uneven(Within):
    """Checks the loss before any step, and how far training got where contexts count unevenly.

    Args:
        seed: Of the weights with which training began.
    """

    seed: int = 0

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the first losses, and the weights."""
        if complaint := self._complaint(value) or self._before(value):
            return Verdict(0.0, complaint)
        return super().__call__(inputs, value)

    def _before(self, value: Value) -> str:
        """Say which first loss is not the one before any step, or which weight has not moved."""
        begun = shared.start(*shared.UNEVEN, self.seed)
        for what, skips in LEFT_OUT.items():
            wanted = _divergence(begun, skips)
            if not abs(float(value[f"{what}: first loss"]) - wanted) <= FIRST * wanted:
                return (
                    "With the residual stream left out, the first loss is not that of the model "
                    "without it, before any step."
                    if skips
                    else "The first loss is not the divergence over all contexts before any step, "
                    "each context weighted by its probability."
                )
            for name, item in begun.items():
                if _same(value[f"{what}: {name}"], item):
                    return (
                        f"All weights are to be trained; {what}, {name} has not moved, or hardly."
                    )
        return ""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how alike two answers are; nearly the same where both have the same wrong first loss."""
        if not (self._complaint(value) or self._complaint(known)):
            said = self._before(value), self._before(known)
            if any(said):
                first = [f"{what}: first loss" for what in LEFT_OUT]
                near = (np.isclose(value[name], known[name], rtol=FIRST, atol=0) for name in first)
                return 0.9 * float(said[0] == said[1] and all(near))
        return super().likeness(inputs, value, known)


PARTS = ("W_O alone", "all but W_O")
LEFT_OUT: dict[str, tuple[str, ...]] = {"with everything": (), "without residual": ("residual",)}
FIRST = 1e-4
"""How far a loss in single precision may be from the judge's, of itself."""
MOST_LEFT = 0.4
ALONE, REST = 0.3, 0.97
N, FOLLOWERS, D = shared.MANY
SMALL_N, SMALL_FOLLOWERS, SMALL_D, SMALL_HEADS = shared.FEW

REMEMBERS = Remembers(
    {
        f"{heads}: {name}": size
        for heads in shared.HEADS
        for name, size in shared.weights_shapes(N, D, heads, D).items()
    },
    _with_more_heads,
    at_least=TIMES,
    examples="associations",
)
FROZEN = Frozen(
    {
        f"{what}: {name}": size
        for what in PARTS
        for name, size in shared.weights_shapes(SMALL_N, SMALL_D, SMALL_HEADS, SMALL_D).items()
    },
    _frozen,
    at_least=REST,
    examples="associations",
)
UNEVEN = Uneven(
    {
        f"{what}: {name}": size
        for what in LEFT_OUT
        for name, size in {
            "first loss": (),
            **shared.weights_shapes(*shared.UNEVEN, shared.UNEVEN[1]),
        }.items()
    },
    _left,
    "what is left of the divergence of a uniform answer, as a fraction",
    high=MOST_LEFT,
)
