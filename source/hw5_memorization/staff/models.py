"""The judge's own models: weights that came back are tried on every context, and counted."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from autograder.kit import Accurate, Array, Inputs, Value, Verdict

from . import cases, reference

TIMES = 3
"""So many times the paper's lower bound has to be remembered."""
_MODELS = len(cases.HEADS) * cases.STARTS


def _right(value: Value, prefix: str, setting: tuple[int, int]) -> Array:
    contexts, tokens = cases.law(*setting)
    w = {name: value[f"{prefix}{name}"] for name in reference.WEIGHTS}
    found: Array = reference.logits(contexts, w).argmax(axis=1) == tokens
    return found


def _with_more_heads(value: Value) -> Array:
    """Return which associations are remembered, for each number of heads and each start, in a row."""
    starts = [
        {name: value[name][start] for name in REMEMBERS.shapes} for start in range(cases.STARTS)
    ]
    return np.concatenate(
        [_right(one, f"{heads}: ", cases.MANY[:2]) for heads in cases.HEADS for one in starts]
    )


def _frozen(value: Value) -> Array:
    return np.concatenate([_right(value, f"{what}: ", cases.FEW[:2]) for what in PARTS])


@dataclass(frozen=True)
class Remembers(Accurate):
    """Checks that models with more heads remember more, and each some times the paper's bound."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:  # noqa: ARG002
        """Judge the weights."""
        if complaint := self._complaint(value):
            return Verdict(0.0, complaint)
        counts, every = self._counts(value), len(self.right(value)) // _MODELS
        said = ", ".join(
            f"{count:.3g} with {heads} head{'s' * (heads > 1)}"
            for heads, count in zip(cases.HEADS, counts, strict=True)
        )
        said = f"Of {every} associations, on average over the starts, {said}"
        for heads, count in zip(cases.HEADS, counts, strict=True):
            least = self.at_least * _bound(heads)
            if count < least:
                return Verdict(0.0, f"{said}; at least {least:g} with {heads} are needed.")
        if any(not before < after and before < every for before, after in pairwise(counts)):
            return Verdict(0.0, f"{said}; more heads should remember more.")
        return Verdict(1.0, f"{said}.")

    def figure(self, value: Value) -> float:
        """Return how many times the bound is remembered, with the number of heads where it is least."""
        return min(
            count / _bound(heads)
            for heads, count in zip(cases.HEADS, self._counts(value), strict=True)
        )

    def _counts(self, value: Value) -> list[float]:
        """Return the mean over the starts: from a single one, two heads may come out below one."""
        right = self.right(value).reshape(len(cases.HEADS), cases.STARTS, -1)
        return [float(count) for count in right.sum(axis=2).mean(axis=1)]


def _bound(heads: int) -> int:
    """Return the paper's lower bound on what so many heads can remember."""
    d = cases.MANY[2]
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
        N, _, d, heads = cases.FEW
        for name, begun in cases.start(N, d, heads, self.seed).items():
            for what in PARTS:
                trained = (name == "W_O") == (what == "W_O alone")
                same = np.allclose(value[f"{what}: {name}"], begun, rtol=1e-6, atol=1e-6)
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


PARTS = ("W_O alone", "all but W_O")
ALONE, REST = 0.3, 0.97
N, FOLLOWERS, D = cases.MANY
SMALL_N, SMALL_FOLLOWERS, SMALL_D, SMALL_HEADS = cases.FEW

REMEMBERS = Remembers(
    {
        f"{heads}: {name}": (cases.STARTS, *size)
        for heads in cases.HEADS
        for name, size in reference.weights_shapes(N, D, heads, D).items()
    },
    _with_more_heads,
    at_least=TIMES,
    examples="associations",
)
FROZEN = Frozen(
    {
        f"{what}: {name}": size
        for what in PARTS
        for name, size in reference.weights_shapes(SMALL_N, SMALL_D, SMALL_HEADS, SMALL_D).items()
    },
    _frozen,
    at_least=REST,
    examples="associations",
)
