"""Layers designed by hand: matrices -> a verdict, over every short word."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from autograder.kit import Array, Check, Heatmap, Inputs, Value, Verdict, no_array

from . import words as every
from .words import LETTERS, LONGEST, spelled

WIDEST = 64
"""Most columns of a matrix."""
SHARE = 0.99
"""How much of its weight a place has to give to the place that is asked for."""
TOLERANCE = 1e-3
"""How far from one-hot the logits may be."""
TINY = 1e-6
"""Smaller logits are printed as 0."""
SHARPER = 30.0
"""Times which queries are tried, to see whether an attention is only too soft."""
TOO_SOFT = "The attention is not sharp enough: larger numbers in the queries or keys would do. "
OTHER_SIZE = "All logits are off by the same factor: look at the sizes in V of layer 2 and in U. "
OVERFLOW = "The numbers overflow: make those in the matrices smaller."
TELLING = 0.5
"""By how much the share of right words of a kind differs from that of the others, to be told of."""
KINDS: Mapping[str, Callable[[Array], Array]] = {
    "whose earlier copy is the first letter": lambda words: every.place_of_the_copy(words) == 0,
    "whose earlier copy is the letter right before the last": lambda words: (
        every.place_of_the_copy(words) == words.shape[1] - 2
    ),
}


def pattern(x: Array, Q: Array, K: Array) -> Array:
    """Return the weights (n, length, length) of a causal layer on streams x (n, length, w)."""
    scores = np.einsum("nte,ef,gf,nsg->nts", x, Q, K, x, optimize=True) / K.shape[1] ** 0.5
    later = np.triu(np.ones(scores.shape[1:], dtype=bool), 1)
    scores[:, later] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    found: Array = weights / weights.sum(axis=-1, keepdims=True)
    return found


class _Run(NamedTuple):
    """What a design does on all words of one length."""

    words: Array  # (n, length)
    patterns: tuple[Array, ...]  # of each layer, (n, length, length)
    logits: Array  # (n, letters), at the last place; (n, 0) where there are none
    right: Array  # (n,), whether each word is


@dataclass(frozen=True)
class _Design(Check):
    """Matrices that are tried on every word; their numbers are float64, so rounding is no matter."""

    decides: ClassVar[bool] = True  # there is no other word to be wrong on
    names: ClassVar[tuple[str, ...]] = ()
    queries: ClassVar[tuple[str, ...]] = ()

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:  # noqa: ARG002  (has no hidden input)
        """Judge matrices: this object is the question's check."""
        if complaint := self._shape_complaint(value):
            return Verdict(0.0, complaint)
        runs = self._runs(value)
        if runs is None:
            return Verdict(0.0, OVERFLOW)
        right = sum(int(run.right.sum()) for run in runs)
        total = sum(len(run.words) for run in runs)
        if right == total:
            return Verdict(1.0, f"Right on all {total:,} words of 2 to {LONGEST} letters.")
        first, place = self._first_wrong(runs)
        fraction, partly = self._partly(runs)
        message = "".join(
            [
                partly,
                self._what_if(value),
                _by_length(runs),
                _by_kind(runs),
                f"On {spelled(first.words[place])}, {self._looks(first, place)}",
            ]
        )
        return Verdict(fraction, message, self._pictures(first, place))

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return how well a design fits a known mistake's, in whatever basis it is written.

        1 where logits and patterns are the same; 0.5 where the same words are right, with the same
        largest logits, and the last place looks at the same places in each layer; 0.25 where both
        are only too soft, or off by a factor; else 0.
        """
        if self._shape_complaint(value) or self._shape_complaint(known):
            return 0.0
        ours, theirs = self._runs(value), self._runs(known)
        if ours is None or theirs is None:
            return 0.0
        pairs = list(zip(ours, theirs, strict=True))
        if all(
            np.allclose(a, b, rtol=1e-3, atol=1e-3)
            for one, other in pairs
            for a, b in zip(
                (one.logits, *one.patterns), (other.logits, *other.patterns), strict=True
            )
        ):
            return 1.0
        change = self._what_if(value)
        if change != self._what_if(known):
            return 0.0
        if all(np.array_equal(_behaviour(one), _behaviour(other)) for one, other in pairs):
            return 0.5
        return 0.25 * bool(change)

    @np.errstate(all="ignore")
    def _what_if(self, value: Value) -> str:
        """Return what single change would make all right, in a sentence; "" for none."""
        if self._is_right({**value, **{n: SHARPER * value[n] for n in self.queries}}):
            return TOO_SOFT
        return ""

    def _is_right(self, value: Value) -> bool:
        runs = self._runs(value)
        return runs is not None and all(bool(run.right.all()) for run in runs)

    def _shape_complaint(self, value: Value) -> str:
        for name in self.names:
            if complaint := no_array(name, value.get(name)):
                return complaint
        width = max([0, *value["E"].shape[1:]])
        for name in self.names:
            shape = value[name].shape
            if not value[name].size:
                return f"{name} has shape {shape}, so it has no numbers."
            columns = max([0, *value[f"Q{name[1:]}"].shape[1:]]) if name[0] in "QK" else width
            if max(width, columns) > WIDEST:
                return f"The stream, queries and keys may be at most {WIDEST} numbers wide; {name} has shape {shape}."
            wanted = (width, columns)
            if name == "E":
                wanted = len(LETTERS), width
            elif name == "pos":
                wanted = max([LONGEST, *shape[:1]]), width
            elif name == "U":
                wanted = width, len(LETTERS)
            if shape != wanted:
                return f"With E of shape {value['E'].shape}, {name} should have shape {wanted}, yours has {shape}."
        return ""

    def _runs(self, value: Value) -> list[_Run] | None:
        """Return what a design does, by length; None where its numbers overflow."""
        with np.errstate(all="ignore"):
            runs = [self._run(value, words) for words in self._words]
        finite = all(
            np.isfinite(part).all() for run in runs for part in (run.logits, *run.patterns)
        )
        return runs if finite else None

    @cached_property
    def _words(self) -> Sequence[Array]:
        raise NotImplementedError

    def _run(self, value: Value, words: Array) -> _Run:
        raise NotImplementedError

    def _first_wrong(self, runs: Sequence[_Run]) -> tuple[_Run, int]:
        """Return the wrong word to write about, as a run and the word's place in it."""
        first = next(run for run in runs if not run.right.all())
        return first, int(first.right.argmin())

    def _partly(self, runs: Sequence[_Run]) -> tuple[float, str]:  # noqa: ARG002
        """Return what a design that is not right earns, and the sentence on it."""
        return 0.0, ""

    def _looks(self, run: _Run, place: int) -> str:
        raise NotImplementedError

    def _pictures(self, run: _Run, place: int) -> tuple[Heatmap, ...]:
        word = spelled(run.words[place])
        labels = tuple(f"{letter} (position {n})" for n, letter in enumerate(word))
        many = len(run.patterns) > 1
        return tuple(
            Heatmap(
                f"Weights{f' of layer {number}' * many} on {' '.join(word)}: a row for each position "
                "that looks, a column for each position that it looks at",
                labels,
                labels,
                tuple(tuple(float(weight) for weight in row) for row in weights[place]),
            )
            for number, weights in enumerate(run.patterns, start=1)
        )


@dataclass(frozen=True)
class Pattern(_Design):
    """One layer whose places have to look where they should.

    Args:
        words: Gives the words that it is tried on, by length.
        wanted: Words (n, length) -> the place that each place should look at, -1 for any.
    """

    names: ClassVar[tuple[str, ...]] = ("E", "pos", "Q", "K")
    queries: ClassVar[tuple[str, ...]] = ("Q",)
    words: Callable[[], Sequence[Array]]
    wanted: Callable[[Array], Array]

    @cached_property
    def _words(self) -> Sequence[Array]:
        return self.words()

    def _run(self, value: Value, words: Array) -> _Run:
        x = value["E"][words] + value["pos"][: words.shape[1]]
        weights = pattern(x, value["Q"], value["K"])
        right = np.asarray((self._given(weights, words) >= SHARE).all(axis=1))
        return _Run(words, (weights,), np.zeros((len(words), 0)), right)

    def _given(self, weights: Array, words: Array) -> Array:
        """Return the weight that each place gives to the one that is asked for; 1 for any."""
        wanted = self.wanted(words)
        given = np.take_along_axis(weights, np.maximum(wanted, 0)[..., None], axis=-1)[..., 0]
        return np.where(wanted < 0, 1.0, given)

    def _looks(self, run: _Run, place: int) -> str:
        (weights,) = run.patterns
        row = int(self._given(weights, run.words)[place].argmin())
        return f"{_where(weights[place, row], row)}."


@dataclass(frozen=True)
class Induction(_Design):
    """Two layers whose logits at the last place have to be the next letter's one-hot vector.

    Args:
        partial: What is earned where the right logit is only the largest on every word.
    """

    names: ClassVar[tuple[str, ...]] = ("E", "pos", "Q1", "K1", "V1", "Q2", "K2", "V2", "U")
    queries: ClassVar[tuple[str, ...]] = ("Q1", "Q2")
    partial: float = 0.5

    @cached_property
    def _words(self) -> Sequence[Array]:
        return every.words_with_a_copy()

    def _run(self, value: Value, words: Array) -> _Run:
        x = value["E"][words] + value["pos"][: words.shape[1]]
        patterns = []
        for layer in "12":
            patterns.append(pattern(x, value[f"Q{layer}"], value[f"K{layer}"]))
            x = x + patterns[-1] @ (x @ value[f"V{layer}"])
        logits = x[:, -1] @ value["U"]
        asked = np.eye(len(LETTERS))[every.next_letter(words)]
        right = (np.abs(logits - asked) <= TOLERANCE).all(axis=1)
        return _Run(words, tuple(patterns), logits, right)

    def _first_wrong(self, runs: Sequence[_Run]) -> tuple[_Run, int]:
        for run in runs:
            telling = ~run.right & (every.next_letter(run.words) != run.words[:, -1])
            if telling.any():  # where the next letter is the last one, two mistakes look alike
                return run, int(telling.argmax())
        return super()._first_wrong(runs)

    def _what_if(self, value: Value) -> str:
        if change := super()._what_if(value):
            return change
        runs = self._runs(value) or []
        logits = np.vstack([run.logits for run in runs])
        asked = np.eye(len(LETTERS))[np.concatenate([every.next_letter(r.words) for r in runs])]
        factor = float((logits * asked).sum() / max(float((logits**2).sum()), 1e-300))
        return OTHER_SIZE if self._is_right({**value, "U": factor * value["U"]}) else ""

    def _partly(self, runs: Sequence[_Run]) -> tuple[float, str]:
        for run in runs:
            asked = np.eye(len(LETTERS), dtype=bool)[every.next_letter(run.words)]
            others = np.where(asked, -np.inf, run.logits).max(axis=1)
            if not (run.logits[asked] > others).all():
                return 0.0, ""
        return self.partial, (
            "The right letter has the largest logit on every word, which earns half; the logits "
            f"are not one-hot within {TOLERANCE:g}. "
        )

    def _looks(self, run: _Run, place: int) -> str:
        last = run.words.shape[1] - 1
        looks = [
            f"in layer {number} {_where(weights[place, last], last)}"
            for number, weights in enumerate(run.patterns, start=1)
        ]
        numbers = " ".join(f"{x:.3g}" if abs(x) > TINY else "0" for x in run.logits[place])
        due = LETTERS[int(every.next_letter(run.words[[place]])[0])]
        logits = f"the logits of {' '.join(LETTERS)} are {numbers}, and {due} comes next."
        return f"{', '.join(looks)}; {logits}"


def _where(weights: Array, row: int) -> str:
    """Return where a place looks, in words; `weights` is its row of a pattern."""
    most = int(weights.argmax())
    if row > 0 and weights[: row + 1].min() > weights[most] - 1e-6:
        return f"position {row} looks at all positions equally"
    at = "itself" if most == row else f"position {most}"
    return f"position {row} looks most at {at}, with weight {weights[most]:.3g}"


def _by_length(runs: Sequence[_Run]) -> str:
    right = sum(int(run.right.sum()) for run in runs)
    total = sum(len(run.words) for run in runs)
    if not right:
        return f"Right on none of {total:,} words. "
    some = ", ".join(
        f"{int(run.right.sum()):,} of {len(run.words):,} of length {run.words.shape[1]}"
        for run in runs
    )
    return f"Right on {right:,} of {total:,} words: {some}. "


def _by_kind(runs: Sequence[_Run]) -> str:
    """Return which kind of words differs most from the others in how many are right; "" for none."""
    told: list[tuple[float, str]] = []
    right = np.concatenate([run.right for run in runs])
    for name, belongs in KINDS.items():
        those = np.concatenate([belongs(run.words) for run in runs])
        some, others = right[those], right[~those]
        sentence = (
            f"Of the {len(some):,} words {name}, {some.sum():,} are right; of the "
            f"{len(others):,} others, {others.sum():,}. "
        )
        told.append((abs(some.mean() - others.mean()), sentence))
    most, sentence = max(told)
    return sentence if most > TELLING else ""


def _behaviour(run: _Run) -> Array:
    """Return what a design does without sizes: what is right and largest, where the last place looks."""
    parts = [run.right]
    if run.logits.size:
        largest = run.logits.max(axis=1, keepdims=True)
        parts.append(run.logits >= largest - 0.05 * np.abs(largest))
    for weights in run.patterns:
        last = weights[:, -1]
        parts.append(last >= 0.95 * last.max(axis=1, keepdims=True))
    return np.concatenate([part.reshape(-1) for part in parts])
