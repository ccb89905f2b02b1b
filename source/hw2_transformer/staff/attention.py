"""Attention heads designed by hand: matrices -> a verdict, over every short sequence."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import ClassVar, NamedTuple

import numpy as np

from autograder.kit import Array, Check, Heatmap, Inputs, Value, Verdict, no_array

MAX_SIZE = 1024
"""Most rows and columns of a matrix: so many are multiplied with every sequence."""


def attention(
    Km: Array, Qm: Array, pos: Array | None, sequences: Array
) -> tuple[Array, Array, Array]:
    """Apply one softmax attention head to many sequences of one length at once.

    Args:
        Km: Keys, (input_dim + pos_dim, qk_dim).
        Qm: Queries, (input_dim + pos_dim, qk_dim).
        pos: Positions, (max_seq_len, pos_dim), concatenated to the input; or None.
        sequences: (n, seq_len, input_dim).

    Returns:
        Averages of the input (n, seq_len, input_dim + pos_dim), which times Vm are the outputs;
        weights (n, seq_len, seq_len) and keys (n, seq_len, qk_dim).
    """
    n, length, _ = sequences.shape
    if pos is not None:
        rows = np.broadcast_to(pos[:length], (n, length, pos.shape[1]))
        sequences = np.concatenate([sequences, rows], axis=-1)  # (n, seq_len, input_dim + pos_dim)
    keys, queries = sequences @ Km, sequences @ Qm
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(Km.shape[1])  # (n, queries, keys)
    # Without the maximum, scores above 709 overflow in float64.
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ sequences, weights, keys


TOO_SOFT = "The attention is not sharp enough: larger numbers in Km or Qm would do. "
OTHER_VALUES = "The attention finds the right tokens: look at what Vm makes of them. "
OTHER_VALUES_OF_AVERAGES = "With other numbers in Vm this attention would do. "
ALL_ALIKE = "attends equally"
NO_DIFFERENCE = 1e-9
"""Keys that differ by less are called equal."""
SHARPER = 30.0
"""Times which queries are tried, to see whether an attention is only too soft."""


class _Run(NamedTuple):
    """What a head does on all n sequences of one length; outputs without the prefix's own."""

    numbers: Array  # (n, length)
    asked: Array  # (n, length, v_dim)
    outputs: Array  # (n, length, v_dim)
    weights: Array  # (n, seq_len, seq_len), seq_len with the prefix
    keys: Array  # (n, seq_len, qk_dim)
    used: Array  # (n, length, input_dim + pos_dim): averages of the input, before Vm


Target = Callable[[Array], Array]
"""Token numbers (n, seq_len) -> outputs asked for, (n, seq_len, v_dim)."""


@dataclass(frozen=True)
class AttentionTask(Check):
    """Matrices designed by hand, tried on every sequence of a small alphabet.

    The question's value holds Km, Qm, Vm and, with `positions`, pos. They are evaluated
    here in float64, where rounding stays below 1e-12 of the largest number: `tolerance`
    is no matter of rounding, but says how sharp the attention must be, and `sign_margin`
    how far from a tie.

    Args:
        tokens: One letter a token; token i is the i-th one-hot vector.
        target: What the head should put out.
        max_length: Longest sequence, without the prefix.
        v_dim: Columns of Vm.
        positions: How many rows pos needs at least; None when the task has no pos.
        prefix: A token put before every sequence, whose own output is ignored.
        tolerance: Absolute and relative tolerance; None when only the sign counts.
        sign_margin: With no tolerance, how far from zero a number has a sign.
        partial: Fraction earned when the largest number of every row is in the right place.
    """

    decides: ClassVar[bool] = True  # there is no other sequence to be wrong on

    tokens: str
    target: Target
    max_length: int
    v_dim: int
    positions: int | None = None
    prefix: str | None = None
    tolerance: float | None = 1e-3
    sign_margin: float = 1e-6
    partial: float = 0.0

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:  # noqa: ARG002  (has no hidden input)
        """Judge matrices: this object is the question's check."""
        complaint = self._shape_complaint(value)
        if complaint:
            return Verdict(0.0, complaint + self._other_order(value))
        wrong, total, worst, partly = 0, 0, 0.0, True
        first: Verdict | None = None
        right_lengths = 0  # up to here, everything is right
        for length, run in self._runs(value):
            if not (np.isfinite(run.outputs).all() and np.isfinite(run.weights).all()):
                return Verdict(0.0, "The scores overflow: make the numbers in Km and Qm smaller.")
            right = self._right(run.outputs, run.asked)
            total, wrong = total + len(right), wrong + int((~right).sum())
            worst = max(worst, float(np.abs(run.outputs - run.asked).max()))
            partly = partly and _largest_in_place(run.outputs, run.asked)
            if first is None and not right.all():
                first = self._explain(run, int(np.argmin(right)), value)
            elif first is None:
                right_lengths = length
        if first is None:
            return Verdict(
                1.0, f"Right on all {total:,} sequences of length 1 to {self.max_length}."
            )
        counts = f"Wrong on {wrong:,} of the {total:,} sequences of length 1 to {self.max_length}. "
        if right_lengths:
            upto = "" if right_lengths == 1 else f" to {right_lengths}"
            counts = f"Right on all sequences of length 1{upto}. {counts}"
        what_if = self._what_if(value)
        if what_if == OTHER_VALUES and ALL_ALIKE in first.message:
            what_if = OTHER_VALUES_OF_AVERAGES
        if self.partial and partly:
            counts = (
                "The right token is the largest in every row of every sequence, but some outputs "
                f"are off by up to {worst:.2g} (tolerance {self.tolerance:g}). {what_if}{counts}"
            )
            return Verdict(self.partial, counts + first.message, first.pictures)
        return Verdict(0.0, what_if + counts + first.message, first.pictures)

    @np.errstate(all="ignore")
    def _what_if(self, value: Value) -> str:
        """Say which single change would make all right, if one would."""
        if self._is_right({**value, "Qm": SHARPER * value["Qm"]}):
            return TOO_SOFT
        runs = [run for _, run in self._runs(value)]
        used = np.vstack([run.used.reshape(-1, run.used.shape[-1]) for run in runs])
        asked = np.vstack([run.asked.reshape(-1, self.v_dim) for run in runs])
        outputs = used @ value["Vm"]
        factor = float((outputs * asked).sum() / max(float((outputs**2).sum()), 1e-300))
        if factor < 0 and self._is_right({**value, "Vm": -value["Vm"]}):
            return "Every sign is the opposite of what it should be. "
        if self.tolerance is not None and self._is_right({**value, "Vm": factor * value["Vm"]}):
            return (
                "The attention is right; all outputs are off by the same factor: look at the "
                "size of Vm. "
            )
        # Not by making much of small differences: what is nearly equal counts as equal.
        best = np.linalg.lstsq(used, asked, rcond=1e-2)[0]
        if self._is_right({**value, "Vm": best}):
            return OTHER_VALUES
        return ""

    def _is_right(self, value: Value) -> bool:
        return all(bool(self._right(r.outputs, r.asked).all()) for _, r in self._runs(value))

    def _other_order(self, value: Value) -> str:
        """Say so where the matrices would fit in another order, or turned round."""
        names = [name for name in ("Km", "Qm", "Vm", "pos") if name in value]
        if any(np.ndim(value[name]) != 2 for name in names):
            return ""
        turned = {name: value[name] if name == "pos" else value[name].T for name in names}
        if not self._shape_complaint(turned):
            return " They are turned round: transpose them."
        for order in permutations(names):
            other = dict(zip(names, (value[name] for name in order), strict=True))
            if not self._shape_complaint(other):
                return f" The shapes fit in another order: return ({', '.join(names)})."
        return ""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return how well matrices fit a known mistake's, whatever their numbers are.

        1 where all outputs and attention weights are the same; 0.5 where each position looks
        at the same places, puts out the same token or sign and is right or wrong alike;
        0.25 where it does not, but both are only too soft, or give tokens other names; else 0.
        """
        if self._shape_complaint(value) or self._shape_complaint(known):
            return 0.0
        same, behaves = True, True
        for (length, ours), (_, theirs) in zip(self._runs(value), self._runs(known), strict=True):
            if not (np.isfinite(ours.outputs).all() and np.isfinite(theirs.outputs).all()):
                return 0.0
            skipped = ours.weights.shape[1] - length  # who asks there is ignored
            same = same and all(
                np.allclose(a, b, rtol=1e-3, atol=1e-3)
                for a, b in (
                    (ours.outputs, theirs.outputs),
                    (ours.weights[:, skipped:], theirs.weights[:, skipped:]),
                )
            )
            behaves = behaves and np.array_equal(self._behaviour(ours), self._behaviour(theirs))
        if same:
            return 1.0
        change = self._what_if(value)
        if change != self._what_if(known):
            return 0.0
        if behaves:
            return 0.5
        renamed = change == OTHER_VALUES and self._renames(value) and self._renames(known)
        return 0.25 * (change == TOO_SOFT or renamed)

    def _renames(self, value: Value) -> bool:
        """Whether each token that is asked for comes out as another one, always the same."""
        runs = [run for _, run in self._runs(value)]
        outputs, asked = (
            np.vstack([part.reshape(-1, self.v_dim) for part in parts])
            for parts in ([run.outputs for run in runs], [run.asked for run in runs])
        )
        names = (asked.T @ outputs).argmax(axis=1)
        one_by_one = self.v_dim > 1 and len(set(names)) == self.v_dim
        return one_by_one and np.allclose(outputs, asked[:, np.argsort(names)], rtol=0, atol=0.1)

    def _behaviour(self, run: "_Run") -> Array:
        """Return what a head does without the sizes: where it looks, what is largest, what is right."""
        asking = run.weights[:, run.weights.shape[1] - run.outputs.shape[1] :]
        looks = asking >= 0.95 * asking.max(axis=-1, keepdims=True)
        if self.v_dim == 1:
            gives = np.sign(np.where(np.abs(run.outputs) > self.sign_margin, run.outputs, 0))
        else:
            largest = run.outputs.max(axis=-1, keepdims=True)
            gives = run.outputs >= largest - 0.05 * np.abs(largest)
        right = self._right(run.outputs, run.asked)
        return np.concatenate([part.reshape(-1) for part in (looks, gives, right)])

    def _shape_complaint(self, value: Value) -> str | None:
        names = ("Km", "Qm", "Vm") if self.positions is None else ("Km", "Qm", "Vm", "pos")
        for name in names:
            if complaint := no_array(name, value.get(name)):
                return complaint
            shape = value[name].shape
            if len(shape) != 2 or not all(shape):
                return f"{name} should be a matrix with rows and columns, yours has shape {shape}."
            if max(shape) > MAX_SIZE:
                return f"{name} may have at most {MAX_SIZE:,} rows and columns, yours has shape {shape}."
        input_dim = len(self.tokens) + (self.prefix is not None)
        rows = input_dim
        if self.positions is not None:
            if len(value["pos"]) < self.positions:
                return f"pos needs at least {self.positions} rows, one per position; yours has {len(value['pos'])}."
            rows += value["pos"].shape[1]
        for name in ("Km", "Qm", "Vm"):
            if len(value[name]) != rows:
                kind = (
                    f"input_dim = {input_dim}"
                    if rows == input_dim
                    else (f"input_dim + pos_dim = {input_dim} + {rows - input_dim}")
                )
                return f"{name} needs {kind} rows, one per input number; yours has shape {value[name].shape}."
        if value["Km"].shape != value["Qm"].shape:
            return (
                "Km and Qm need the same number of columns, qk_dim, because a key is multiplied with a "
                f"query; yours have shapes {value['Km'].shape} and {value['Qm'].shape}."
            )
        if value["Vm"].shape[1] != self.v_dim:
            return f"Vm needs v_dim = {self.v_dim} columns; yours has shape {value['Vm'].shape}."
        return None

    def _runs(self, value: Value) -> Iterator[tuple[int, "_Run"]]:
        """Yield each length and what the head does on all sequences of it."""
        pos = None if self.positions is None else value["pos"]
        for numbers, tokens, asked in self._sequences:
            length = numbers.shape[1]
            with np.errstate(over="ignore", invalid="ignore"):
                used, weights, keys = attention(value["Km"], value["Qm"], pos, tokens)
                used = used[:, tokens.shape[1] - length :]
                outputs = used @ value["Vm"]
            yield length, _Run(numbers, asked, outputs, weights, keys, used)

    @cached_property
    def _sequences(self) -> tuple[tuple[Array, Array, Array], ...]:
        """All sequences by length: numbers, one-hot tokens with the prefix, and outputs asked for."""
        one_hot = np.eye(len(self.tokens) + (self.prefix is not None))
        found = []
        for length in range(1, self.max_length + 1):
            numbers = np.array(list(product(range(len(self.tokens)), repeat=length)))
            whole = numbers
            if self.prefix is not None:
                whole = np.insert(numbers, 0, len(self.tokens), axis=1)
            found.append((numbers, one_hot[whole], self.target(numbers)))
        return tuple(found)

    def _right(self, outputs: Array, asked: Array) -> Array:
        """Return whether each sequence is right, (n,)."""
        good: Array
        if self.tolerance is None:
            good = np.asarray(asked * outputs > self.sign_margin)
        else:
            allowed = self.tolerance * (1 + np.abs(asked))
            good = np.asarray(np.abs(outputs - asked) <= allowed)
        return np.asarray(good.all(axis=(1, 2)))

    def _labels(self, numbers: Array) -> list[str]:
        letters = [self.tokens[number] for number in numbers]
        return letters if self.prefix is None else [self.prefix, *letters]

    def _wish(self, asked: Array, output: Array) -> str:
        if len(asked) > 1:
            return f"where the task asks for {self.tokens[int(asked.argmax())]}"
        if asked[0] * output[0] > 0:
            bound = f"{'above ' if asked[0] > 0 else 'below -'}{self.sign_margin:g}"
            return f"where the task asks for a number {bound}"
        return f"where the task asks for a {'positive' if asked[0] > 0 else 'negative'} number"

    def _all_keys_are_equal(self, value: Value) -> bool:
        keys = np.vstack([run.keys.reshape(-1, run.keys.shape[-1]) for _, run in self._runs(value)])
        return bool(np.ptp(keys, axis=0).max() < NO_DIFFERENCE)

    def _explain(self, run: "_Run", place: int, value: Value) -> Verdict:
        """Describe a sequence that fails: its first wrong row and its attention."""
        labels = self._labels(run.numbers[place])
        outputs, asked, weights, keys = (
            array[place] for array in (run.outputs, run.asked, run.weights, run.keys)
        )
        skipped = len(labels) - len(outputs)
        row = int(np.argmin(self._right(outputs[:, None], asked[:, None])))
        numbers = " ".join(f"{number:.3g}" for number in outputs[row])
        place = row + skipped
        most = int(weights[place].argmax())
        message = (
            f"The shortest of them is {' '.join(labels)}: its output for position {place} "
            f"({labels[place]}) is {numbers}, {self._wish(asked[row], outputs[row])}. "
        )
        positions = [f"{label} (position {number})" for number, label in enumerate(labels)]
        if len(labels) > 1 and np.ptp(weights, axis=1).max() < 1e-6:
            cause = "all scores of a query are equal"
            if np.ptp(keys, axis=0).max() < NO_DIFFERENCE:
                everywhere = self._all_keys_are_equal(value)
                cause = f"all keys {'are equal' if everywhere else 'of this sequence are equal'}"
            message += (
                f"Every token {ALL_ALIKE} ({1 / len(labels):.2g}) to every token, because {cause}: "
                "the output is a plain average."
            )
        elif len(labels) > 1 and np.ptp(weights[place]) < 1e-6:
            message += (
                f"That position {ALL_ALIKE} ({1 / len(labels):.2g}) to every token: its scores "
                "are all the same."
            )
        else:
            message += f"That position attends most to {positions[most]}, with weight {weights[place, most]:.2g}."
        picture = Heatmap(
            f"Attention weights of your matrices on {' '.join(labels)}: "
            "one row for each query position, one column for each key position",
            tuple(positions),
            tuple(positions),
            tuple(tuple(float(w) for w in line) for line in weights),
        )
        return Verdict(0.0, message, (picture,))


def _largest_in_place(outputs: Array, asked: Array) -> bool:
    """Whether each row's largest number stands strictly where the asked row has its largest."""
    if outputs.shape[-1] < 2:
        return False
    place = asked.argmax(axis=-1)[..., None]
    chosen = np.take_along_axis(outputs, place, axis=-1)
    others = outputs.copy()
    np.put_along_axis(others, place, -np.inf, axis=-1)
    return bool((chosen[..., 0] > others.max(axis=-1)).all())
