"""The judge's own model: weights that came back are tried on every pair, and counted."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from autograder.kit import Accurate, Array, Close, Inputs, Value, Verdict

from . import cases, reference, shared

ALL = len(shared.TABLE) ** 2
CEILING = round(float(reference.ceiling(shared.TABLE)["the share"]) * ALL)
"""The pairs that a model gets right that cannot tell (i, j) from (j, i)."""
BELOW = 2
"""So many fewer still count as having reached it."""
FLOOR = 2 * (ALL - CEILING) / ALL * float(np.log(2))
"""The least loss of such a model: one half for each of two different entries."""
ABOVE = 0.3
"""So much more still counts."""


LOSS = 0.02
"""A loss on the way may be so far from that of Adam at the text's learning rate."""


@np.errstate(all="ignore")
def _logits(value: Value, blocked: Array, layers: int) -> Array:
    """Return the judge's logits of every pair; what is no number is none there either."""
    n = len(shared.TABLE)
    pairs = np.array([(i, j) for i in range(n) for j in range(n)])
    weights = {name: value[name] for name in reference.weights_shapes(n, layers)}
    return reference.logits(pairs, 1, blocked, **weights)


def _right(value: Value, table: Array, blocked: Array, layers: int) -> Array:
    logits = _logits(value, blocked, layers)
    right: Array = (logits.argmax(axis=1) == table.ravel()) & np.isfinite(logits).all(axis=1)
    return right


def _of_the_table(value: Value) -> Array:
    return _right(value, shared.TABLE, reference.future(3), 2)


def _of_the_symmetric(value: Value) -> Array:
    return _right(value, reference.symmetric(shared.TABLE), reference.future(3), 1)


def _without_a_mask(value: Value) -> Array:
    return _right(value, shared.TABLE, np.zeros((3, 3)), 2)


@np.errstate(all="ignore")
def loss_without_a_mask(value: Value) -> float:
    """Return the mean cross-entropy between M and a model without a mask."""
    logits = _logits(value, np.zeros((3, 3)), 2)
    chosen = logits[np.arange(len(logits)), shared.TABLE.ravel()]
    largest = logits.max(axis=1)
    logs = np.log(np.exp(logits - largest[:, None]).sum(axis=1))
    return float((logs - (chosen - largest)).mean())


def _one_order(wrong: Array) -> str:
    """Say where one of (i, j) and (j, i) is right and the other wrong, for most pairs."""
    table = wrong.reshape(shared.TABLE.shape)
    halves = (
        table[np.triu_indices_from(table, 1)].mean(),
        table[np.tril_indices_from(table, -1)].mean(),
    )
    if abs(halves[0] - halves[1]) < 0.5:
        return ""
    smaller = "larger" if halves[0] < halves[1] else "smaller"
    return f"Most wrong pairs have the {smaller} token first."


@dataclass(frozen=True)
class OnASymmetricTable(Accurate):
    """As `Accurate`, where the table that was trained on has to be the right one, too."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the table, then the weights."""
        if complaint := self._table(value.get("the symmetric table")):
            return Verdict(0.0, complaint)
        return Accurate.__call__(self, inputs, value)

    def _table(self, table: object) -> str:
        if not isinstance(table, np.ndarray) or table.shape != shared.TABLE.shape:
            return "It should return the symmetric table that it trained on."
        if not np.array_equal(table, table.T):
            return "The table that it returns is not symmetric."
        if not np.array_equal(np.triu(table), np.triu(shared.TABLE)):
            return (
                "The table that it returns is symmetric; on and above the diagonal it should be M."
            )
        return ""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how alike two answers are; other tables are others."""
        tables = [one.get("the symmetric table") for one in (value, known)]
        if not all(isinstance(table, np.ndarray) for table in tables):
            return 0.0
        if not np.array_equal(tables[0], tables[1]):  # type: ignore[arg-type]
            return 0.0
        return Accurate.likeness(self, inputs, value, known)


@dataclass(frozen=True)
class AsTheTextTrains(Accurate):
    """As `Accurate`, where a table of logits has to be learned by the text's own steps, too."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the weights, then the losses of the table."""
        verdict = Accurate.__call__(self, inputs, value)
        if verdict.fraction == 1 and (complaint := self._losses(inputs, value)):
            return Verdict(0.0, complaint)
        return verdict

    def _losses(self, inputs: Inputs, value: Value) -> str:
        right = reference.training_losses(inputs["M"], inputs["start"], shared.STEPS)
        losses = value.get("the list of losses")
        if not isinstance(losses, np.ndarray) or losses.shape != right.shape:
            return f"It should return the list of its {len(right)} losses, one a step."
        wrong = np.abs(losses - right) > LOSS
        if not wrong.any():
            return ""
        if wrong[0]:
            return (
                "The first loss is not the mean cross-entropy of the logits before any step. Is it "
                "a mean over all pairs, of the logits as they are, and taken before the step?"
            )
        return (
            f"The losses are not those of the text's steps, from step {wrong.argmax() + 1} on. Is "
            "it Adam with the learning rate of the text, are all pairs in each step, and are "
            "gradients set to zero before it?"
        )

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how alike two answers are; of two that learned all, the losses tell."""
        verdicts = [Accurate.__call__(self, inputs, one) for one in (value, known)]
        if any(verdict.fraction < 1 for verdict in verdicts):
            return Accurate.likeness(self, inputs, value, known)
        lists = [one.get("the list of losses") for one in (value, known)]
        if not all(isinstance(one, np.ndarray) for one in lists):
            return 0.0
        mine, theirs = lists
        return float(mine.shape == theirs.shape and np.allclose(mine, theirs, atol=LOSS))  # type: ignore[union-attr,arg-type]


@dataclass(frozen=True)
class OnTheTable(Accurate):
    """As `Accurate`, where both of two different answers have to be likely, too.

    Args:
        loss: Weights -> the mean cross-entropy of the table.
        at_most: That is allowed.
    """

    loss: Callable[[Value], float] = loss_without_a_mask
    at_most: float = np.inf

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the weights: by the pairs that are right, then by the loss."""
        verdict = Accurate.__call__(self, inputs, value)
        if verdict.fraction == 1 and not self.loss(value) <= self.at_most:
            return Verdict(
                0.0,
                f"It is right on as many pairs as it should be, but its loss on M is "
                f"{self.loss(value):.2g}: it is sure of entries that are wrong. Is it trained on M itself?",
            )
        return verdict


@dataclass(frozen=True)
class Trainable(Close):
    """As `Close`, where gradients have to flow back from the right numbers."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the numbers, then where they are cut off."""
        verdict = Close.__call__(self, inputs, value)
        if verdict.fraction == 1 and value.get("cut off") != "":
            return Verdict(0.0, f"The numbers are right. {value.get('cut off')}")
        return verdict

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 for the same numbers, cut off at the same place."""
        return float(
            value.get("cut off") == known.get("cut off")
            and Close.likeness(self, inputs, value, known) == 1
        )


@dataclass(frozen=True)
class CausalMask(Close):
    """As `Close`, where each output has to be a number, and what is forbidden to weigh nothing."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the outputs, then what the mask adds to the scores of what comes later."""
        where = cases.describe_length(inputs)
        for mode in reference.MODES:
            output = value.get(f"the output {mode}")
            if isinstance(output, np.ndarray) and output.ndim == 3:
                lost: Array = np.asarray((np.abs(output) > cases.LARGEST).any(axis=(0, 2)))
                if lost.any():
                    place = int(lost.argmax()) + 1
                    return Verdict(
                        0.0,
                        f"For {where}: {mode}, position {place} of {lost.size} is not a number.",
                    )
        verdict = Close.__call__(self, inputs, value)
        if verdict.fraction == 1 and not _weighs_nothing(value.get("what the mask adds")):
            return Verdict(
                0.0,
                f"For {where}: the outputs are right, and would not be with larger scores: what is "
                "forbidden has to weigh nothing at all, and a finite number does not see to that.",
            )
        return verdict

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 for the same outputs, whatever makes them."""
        outputs = {name: item for name, item in known.items() if name.startswith("the output")}
        return Close.likeness(self, inputs, value, outputs)


def _weighs_nothing(added: object) -> bool:
    """Whether what a mask (T, T) adds to the scores leaves nothing of what comes later."""
    # Of a high and narrow array the places above the diagonal would fill the memory.
    if not isinstance(added, np.ndarray) or added.ndim != 2 or added.shape[0] != added.shape[1]:
        return False
    later: Array = added[np.triu_indices(added.shape[0], 1)]
    return bool((later <= -1e4).all())


ONE, TWO = (reference.weights_shapes(len(shared.TABLE), layers) for layers in (1, 2))

TABLE = AsTheTextTrains(TWO, _of_the_table, at_least=0.95, examples="pairs", words=_one_order)
SYMMETRIC = OnASymmetricTable(ONE, _of_the_symmetric, at_least=0.99, examples="pairs")
NO_MASK = OnTheTable(
    TWO, _without_a_mask, at_least=(CEILING - BELOW) / ALL, examples="pairs", at_most=FLOOR + ABOVE
)
