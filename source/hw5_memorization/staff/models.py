"""The judge's own models: weights that came back are tried on every context, and counted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from autograder.kit import Accurate, Array, Inputs, Value, Verdict, Within

from . import reference, shared
from .shared import LEFT_OUT, PARTS

TIMES = 3
"""So many times the paper's lower bound has to be remembered."""
EVENLY = 1 / 3
"""Of one half of the contexts so much has to be remembered, beside the other half: all are trained on."""


KINDS = [shared.with_heads(heads) for heads in shared.HEADS]


def _left_by(value: Value, what: str) -> dict[str, Array]:
    """Return the weights that a training left."""
    return {name: value[shared.weight_after(name, what)] for name in reference.WEIGHTS}


def _right(value: Value, what: str, setting: tuple[int, int]) -> Array:
    contexts, tokens = shared.law(*setting)
    found: Array = reference.logits(contexts, _left_by(value, what)).argmax(axis=1) == tokens
    return found


def _with_more_heads(value: Value) -> Array:
    """Return which associations are remembered, for each number of heads in a row."""
    return np.concatenate([_right(value, what, shared.MANY[:2]) for what in KINDS])


def _frozen(value: Value) -> Array:
    return np.concatenate([_right(value, what, shared.FEW[:2]) for what in PARTS])


def _divergence(w: Mapping[str, Array], skips: Collection[str]) -> float:
    """Return a model's mean divergence from the uneven law, each context weighted by its probability."""
    contexts, law, chances = shared.uneven_law()
    logits = reference.logits(contexts, w, skips)
    logits = logits - logits.max(axis=1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return float((law * (_log(law) - logs)).sum(axis=1) @ chances)


def _log(law: Array) -> Array:
    """Return logarithms, and 0 where the law is 0: there they count for nothing."""
    found: Array = np.log(np.where(law > 0, law, 1))
    return found


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
        for what, begun in self._begun().items():
            for name, item in begun.items():
                if _same(value[shared.weight_after(name, what)], item):
                    return f"With all weights to be trained, {name} has not moved, or hardly."
        return ""

    def _begun(self) -> dict[str, dict[str, Array]]:
        N, _, d = shared.MANY
        return {
            shared.with_heads(heads): shared.start(N, d, heads, self.seed, shared.SPREAD)
            for heads in shared.HEADS
        }

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
        if complaint := self._complaint(value) or self._moved(value):
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
        for name, begun in self._begun().items():
            for what in PARTS:
                trained, found = (
                    (name == "W_O") == (what == "W_O alone"),
                    value[shared.weight_after(name, what)],
                )
                if trained and _same(found, begun):
                    return f"With {what} to be trained, {name} has not moved, or hardly."
                if not trained and not np.array_equal(found, begun.astype(np.float32)):
                    return f"With {what} to be trained, {name} has moved as well."
        return ""

    def _begun(self) -> dict[str, Array]:
        N, _, d, heads = shared.FEW
        return shared.start(N, d, heads, self.seed)

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how alike two answers are; the same complaint about what moved is nearly the same."""
        if not (self._complaint(value) or self._complaint(known)):
            said = self._moved(value), self._moved(known)
            if any(said):
                return 0.9 * float(said[0] == said[1] and self._as_far(value, known))
        return Accurate.likeness(self, inputs, value, known)

    def _as_far(self, value: Value, known: Value) -> bool:
        """Return whether two answers moved the frozen weights about as far, whatever the direction."""
        far = [
            sum(
                np.abs(each[shared.weight_after(name, what)] - item).sum()
                for name, item in self._begun().items()
                for what in PARTS
                if (name == "W_O") != (what == "W_O alone")
            )
            for each in (value, known)
        ]
        return bool(max(far) <= 3 * min(far))


def _left(value: Value) -> float:
    """Return what is left of the uniform answer's divergence, of the model that has more left."""
    _, law, chances = shared.uneven_law()
    uniform = np.log(shared.UNEVEN[0]) + float((law * _log(law)).sum(axis=1) @ chances)
    return float(
        max(_divergence(_left_by(value, what), skips) for what, skips in LEFT_OUT.items()) / uniform
    )


@dataclass(frozen=True)
class Uneven(Within):
    """Checks the losses, and how far training got where contexts count unevenly.

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
        """Say which loss is wrong, or which weight has not moved."""
        begun = shared.start(*shared.UNEVEN, self.seed)
        for what, skips in LEFT_OUT.items():
            first, losses = _divergence(begun, skips), value[shared.losses_of(what)]
            if not abs(losses[0] - first) <= FIRST * first:
                return (
                    f"Training {what}: the first loss is {losses[0]:.4g}. The divergence over all "
                    f"contexts, each as often as it comes, is {first:.4g} before any step."
                )
            last = _divergence(_left_by(value, what), skips)
            if not abs(losses[-1] - last) <= shared.LAST * first:
                return (
                    f"Training {what}: the last loss is {losses[-1]:.4g}, and the divergence is "
                    f"{last:.4g} after the last step: return the loss of each step."
                )
            for name, item in begun.items():
                if _same(value[shared.weight_after(name, what)], item):
                    return (
                        f"All weights are to be trained; {what}, {name} has not moved, or hardly."
                    )
        return ""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how alike two answers are; nearly the same where both have the same wrong first loss."""
        if not (self._complaint(value) or self._complaint(known)):
            said = self._before(value), self._before(known)
            if any(said):
                losses = [shared.losses_of(what) for what in LEFT_OUT]
                near = (np.isclose(value[n][0], known[n][0], rtol=FIRST, atol=0) for n in losses)
                return 0.9 * float(all(said) and all(near))
        return super().likeness(inputs, value, known)


FIRST = 1e-4
"""How far a loss in single precision may be from the judge's, of itself."""
MOST_LEFT = 0.4
ALONE, REST = 0.3, 0.97
N, FOLLOWERS, D = shared.MANY
SMALL_N, SMALL_FOLLOWERS, SMALL_D, SMALL_HEADS = shared.FEW


def _shapes(kinds: Mapping[str, tuple[int, int, int, int]]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights that some trainings leave."""
    return {
        shared.weight_after(name, what): shape
        for what, size in kinds.items()
        for name, shape in shared.weights_shapes(*size).items()
    }


REMEMBERS = Remembers(
    _shapes({shared.with_heads(heads): (N, D, heads, D) for heads in shared.HEADS}),
    _with_more_heads,
    at_least=TIMES,
    examples="associations",
)
FROZEN = Frozen(
    _shapes(dict.fromkeys(PARTS, (SMALL_N, SMALL_D, SMALL_HEADS, SMALL_D))),
    _frozen,
    at_least=REST,
    examples="associations",
)
UNEVEN = Uneven(
    _shapes(dict.fromkeys(LEFT_OUT, (*shared.UNEVEN, shared.UNEVEN[1])))
    | {shared.losses_of(what): (shared.UNEVEN_STEPS,) for what in LEFT_OUT},
    _left,
    "what is left of the divergence of a uniform answer, as a fraction",
    high=MOST_LEFT,
)
