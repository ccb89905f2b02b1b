"""Values -> verdicts. Each function here builds a check for staff/spec.py.

A check sees the inputs of one case and the arrays that came back. It never
raises for what a student returned; an exception here is our own bug.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from autograder.marks.diagnose import relation
from autograder.model import Array, Check, Heatmap, Inputs, Value, Verdict

MAX_SIZE = 1024
"""Largest qk_dim, pos_dim and number of positions that a hand-designed answer may use."""


def close(
    reference: Callable[..., Mapping[str, Array]],
    *,
    rtol: float,
    atol: float,
    describe: Callable[[Inputs], str],
) -> Check:
    """Build a check that compares every array with the reference's.

    Args:
        reference: Called with the case's inputs by name; returns arrays by name.
        rtol: Relative tolerance, of the reference's value.
        atol: Absolute tolerance.
        describe: Says in a few words what the case was, without its numbers.
    """

    def check(inputs: Inputs, value: Value) -> Verdict:
        expected = reference(**inputs)
        for name, right in expected.items():
            got = value.get(name)
            if not isinstance(got, np.ndarray):
                return Verdict(0.0, f"For {describe(inputs)}: {name} is missing.")
            if got.shape != right.shape:
                return Verdict(
                    0.0,
                    f"For {describe(inputs)}: {name} should have shape {right.shape}, "
                    f"yours has {got.shape}.",
                )
            if not np.allclose(got, right, rtol=rtol, atol=atol):
                worst = float(np.abs(got - right).max())
                more = relation(got, right, rtol=rtol, atol=atol)
                return Verdict(
                    0.0,
                    f"For {describe(inputs)}: {name} has the right shape {right.shape}, but its "
                    f"numbers are off by up to {worst:.2g} (tolerance {atol:g}). {more}".rstrip(),
                )
        return Verdict(1.0, "Equal to the reference in every case.")

    return check


def vectorised(inputs: Inputs, value: Value) -> Verdict:
    """Check that a forward pass does not dispatch more operations for a longer sequence.

    Args:
        inputs: short and long, the two lengths.
        value: operations (2,), the number of dispatched tensor operations at each
            length; shape, that of the longer output; expected_shape; and
            gradients (k,), 1 for each parameter that a gradient reaches.
    """
    sizes = {"operations": 2, "shape": None, "expected_shape": None, "gradients": None}
    for name, size in sizes.items():
        got = value.get(name)
        if not isinstance(got, np.ndarray) or got.ndim != 1 or size not in (None, len(got)):
            return Verdict(0.0, "The count of operations could not be read.")
    short, long = (int(count) for count in value["operations"])
    shape, expected = tuple(value["shape"].tolist()), tuple(value["expected_shape"].tolist())
    if shape != expected:
        return Verdict(0.0, f"The output should have shape {expected}, yours has {shape}.")
    if not value["gradients"].all():
        return Verdict(
            0.0,
            "No gradient reaches some of Qm, Km and Vm, so the attention was not computed by torch. "
            "Stay in torch from the sequence to the output: no .detach(), .numpy() or .item().",
        )
    if long > short:
        return Verdict(
            0.0,
            f"A forward pass takes {short} tensor operations for a sequence of length "
            f"{inputs['short']} and {long} for length {inputs['long']}: it works through the "
            "sequence step by step. Compute all scores at once, as one product of two matrices.",
        )
    return Verdict(
        1.0,
        f"{long} tensor operations, whether the sequence has {inputs['short']} or {inputs['long']} tokens.",
    )


def attention(
    Km: Array, Qm: Array, Vm: Array, pos: Array | None, sequences: Array
) -> tuple[Array, Array, Array]:
    """Apply one softmax attention head to many sequences of one length at once.

    Args:
        Km: Keys, (input_dim + pos_dim, qk_dim).
        Qm: Queries, (input_dim + pos_dim, qk_dim).
        Vm: Values, (input_dim + pos_dim, v_dim).
        pos: Positions, (max_seq_len, pos_dim), concatenated to the input; or None.
        sequences: (n, seq_len, input_dim).

    Returns:
        Outputs (n, seq_len, v_dim), weights (n, seq_len, seq_len) and keys (n, seq_len, qk_dim).
    """
    n, length, _ = sequences.shape
    if pos is not None:
        rows = np.broadcast_to(pos[:length], (n, length, pos.shape[1]))
        sequences = np.concatenate([sequences, rows], axis=-1)  # (n, seq_len, input_dim + pos_dim)
    keys, queries, values = sequences @ Km, sequences @ Qm, sequences @ Vm
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(Km.shape[1])  # (n, queries, keys)
    # Without the maximum, scores above 709 overflow in float64.
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ values, weights, keys


Target = Callable[[Array], Array]
"""Token numbers (n, seq_len) -> outputs asked for, (n, seq_len, v_dim)."""


@dataclass(frozen=True)
class AttentionTask:
    """Matrices designed by hand, tried on every sequence of a small alphabet.

    The question's value holds Km, Qm, Vm and, with `positions`, pos.

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
            return Verdict(0.0, complaint)
        wrong, total, worst, partly = 0, 0, 0.0, True
        first: Verdict | None = None
        for length in range(1, self.max_length + 1):
            with np.errstate(over="ignore", invalid="ignore"):
                numbers, outputs, weights, keys = self._run(value, length)
            if not (np.isfinite(outputs).all() and np.isfinite(weights).all()):
                return Verdict(0.0, "The scores overflow: make the numbers in Km and Qm smaller.")
            asked = self.target(numbers)
            right = self._right(outputs, asked)
            total, wrong = total + len(right), wrong + int((~right).sum())
            worst = max(worst, float(np.abs(outputs - asked).max()))
            partly = partly and _largest_in_place(outputs, asked)
            if first is None and not right.all():
                place = int(np.argmin(right))
                first = self._explain(
                    self._labels(numbers[place]),
                    outputs[place],
                    asked[place],
                    weights[place],
                    keys[place],
                )
        if first is None:
            return Verdict(
                1.0, f"Right on all {total:,} sequences of length 1 to {self.max_length}."
            )
        counts = f"Wrong on {wrong:,} of the {total:,} sequences of length 1 to {self.max_length}. "
        if self.partial and partly:
            return Verdict(
                self.partial,
                f"The right token is the largest in every row of every sequence, but some outputs are off "
                f"by up to {worst:.2g} (tolerance {self.tolerance:g}): the attention is not sharp enough, "
                "or Vm does not give the token back at its own size. " + counts + first.message,
                first.pictures,
            )
        return Verdict(0.0, counts + first.message, first.pictures)

    def _shape_complaint(self, value: Value) -> str | None:
        names = ("Km", "Qm", "Vm") if self.positions is None else ("Km", "Qm", "Vm", "pos")
        for name in names:
            shape = np.shape(value.get(name, 0))
            if len(shape) != 2 or not all(1 <= size <= MAX_SIZE for size in shape):
                return f"{name} should be a matrix with rows and columns, yours has shape {shape}."
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

    def _run(self, value: Value, length: int) -> tuple[Array, Array, Array, Array]:
        """Return token numbers, outputs, weights and keys; outputs without the prefix's own."""
        numbers = np.array(list(product(range(len(self.tokens)), repeat=length)))  # (n, length)
        whole = numbers
        if self.prefix is not None:
            whole = np.insert(numbers, 0, len(self.tokens), axis=1)
        one_hot = np.eye(len(self.tokens) + (self.prefix is not None))[whole]
        pos = None if self.positions is None else value["pos"]
        outputs, weights, keys = attention(value["Km"], value["Qm"], value["Vm"], pos, one_hot)
        return numbers, outputs[:, whole.shape[1] - length :], weights, keys

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

    def _explain(
        self, labels: Sequence[str], outputs: Array, asked: Array, weights: Array, keys: Array
    ) -> Verdict:
        """Describe the shortest sequence that fails: its first wrong row and its attention."""
        skipped = len(labels) - len(outputs)
        row = int(np.argmin(self._right(outputs[:, None], asked[:, None])))
        numbers = " ".join(f"{number:.3g}" for number in outputs[row])
        place = row + skipped
        most = int(weights[place].argmax())
        message = (
            f"The shortest of them is {' '.join(labels)}: its output for position {place} "
            f"({labels[place]}) is {numbers}, {_wish(asked[row], self.tokens)}. "
        )
        positions = [f"{label} (position {number})" for number, label in enumerate(labels)]
        if len(labels) > 1 and np.ptp(weights, axis=1).max() < 1e-6:
            cause = (
                "all keys are equal"
                if np.ptp(keys, axis=0).max() < 1e-9
                else "all scores of a query are equal"
            )
            message += (
                f"Every token attends equally ({1 / len(labels):.2g}) to every token, because {cause}: "
                "the output is a plain average."
            )
        else:
            message += f"That position attends most to {positions[most]}, with weight {weights[place, most]:.2g}."
        picture = Heatmap(
            f"Attention weights of your matrices on {' '.join(labels)}: "
            "one row for each position that asks, one column for each position it looks at",
            tuple(positions),
            tuple(positions),
            tuple(tuple(float(w) for w in line) for line in weights),
        )
        return Verdict(0.0, message, (picture,))


def _wish(asked: Array, tokens: str) -> str:
    if len(asked) == 1:
        return f"where the task asks for a {'positive' if asked[0] > 0 else 'negative'} number"
    return f"where the task asks for {tokens[int(asked.argmax())]}"


def _largest_in_place(outputs: Array, asked: Array) -> bool:
    """Whether each row's largest number stands strictly where the asked row has its largest."""
    if outputs.shape[-1] < 2:
        return False
    place = asked.argmax(axis=-1)[..., None]
    chosen = np.take_along_axis(outputs, place, axis=-1)
    others = outputs.copy()
    np.put_along_axis(others, place, -np.inf, axis=-1)
    return bool((chosen[..., 0] > others.max(axis=-1)).all())
