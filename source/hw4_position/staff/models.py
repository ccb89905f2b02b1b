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
SURE = 0.3
"""The most that the loss on a symmetric table may be."""


LOSS = 1e-4
"""A loss on the way may be so far from Adam's: one step moves it by 5e-3, single precision by 1e-6."""


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
def loss_without_a_mask(value: Value, table: Array = shared.TABLE, layers: int = 2) -> float:
    """Return the mean cross-entropy between a table and a model without a mask."""
    logits = _logits(value, np.zeros((3, 3)), layers)
    chosen = logits[np.arange(len(logits)), table.ravel()]
    largest = logits.max(axis=1)
    logs = np.log(np.exp(logits - largest[:, None]).sum(axis=1))
    return float((logs - (chosen - largest)).mean())


def loss_on_the_symmetric(value: Value) -> float:
    """Return the mean cross-entropy between the symmetric table and a model of one layer."""
    return loss_without_a_mask(value, reference.symmetric(shared.TABLE), 1)


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
class Likely(Accurate):
    """As `Accurate`, where the right answers have to be likely, too.

    Args:
        loss: Weights -> the mean cross-entropy.
        at_most: That is allowed.
        otherwise: What a larger one means.
    """

    loss: Callable[[Value], float] = loss_without_a_mask
    at_most: float = np.inf
    otherwise: str = ""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the weights: by the pairs that are right, then by the loss."""
        verdict = Accurate.__call__(self, inputs, value)
        if verdict.fraction == 1 and not self.loss(value) <= self.at_most:
            return Verdict(
                0.0,
                "It is right on as many pairs as it should be, but its loss is "
                f"{self.loss(value):.2g}; at most {self.at_most:.2g} is wanted. {self.otherwise}",
            )
        return verdict


@dataclass(frozen=True)
class WithoutAMask(Likely):
    """As `Likely`, where the layers may not have seen a mask that does something."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the weights, then what the layers saw."""
        verdict = Likely.__call__(self, inputs, value)
        if verdict.fraction == 1 and not np.array_equal(value.get("masked"), 0):  # type: ignore[arg-type]
            return Verdict(0.0, "It trains the model with a mask.")
        return verdict


@dataclass(frozen=True)
class OnASymmetricTable(Likely):
    """As `Likely`, where the table that was trained on has to be the right one, too."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the tables, then the weights and the loss."""
        first = _symmetric(value.get("the turned table"), shared.TABLE.T)
        complaint = _symmetric(value.get("the symmetric table"), shared.TABLE)
        if complaint and not first:
            complaint = (
                "The table that it returns is right in the first call, and not in the second, with "
                "a table of the same size: does it keep anything from call to call?"
            )
        if complaint or first:
            return Verdict(0.0, complaint or first)
        return Likely.__call__(self, inputs, value)

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
        for n, (M, start) in enumerate(zip(inputs["M"], inputs["start"], strict=True)):
            right, learned = reference.training(M, start, shared.STEPS)
            complaint = (
                _losses(value.get(f"losses {n}"), right)
                or _calls(value.get(f"calls {n}"), M.size)
                or _learned(value.get(f"learned {n}"), learned)
            )
            if complaint:
                return complaint
        return ""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how alike two answers are; of two that learned all, the free tables tell."""
        verdicts = [Accurate.__call__(self, inputs, one) for one in (value, known)]
        if any(verdict.fraction < 1 for verdict in verdicts):
            return Accurate.likeness(self, inputs, value, known)
        names = [f"{name} {n}" for name in FREE for n in range(len(inputs["M"]))]
        return float(all(_alike(value.get(name), known.get(name)) for name in names))


FREE = ("losses", "calls", "learned")
"""What the training of a free table of logits gives."""


def _losses(losses: object, right: Array) -> str:
    if not isinstance(losses, np.ndarray) or losses.shape != right.shape:
        return f"It should return the list of its {len(right)} losses, one a step."
    if _alike(losses, right):
        return ""
    first = int((~(np.abs(losses - right) <= LOSS)).argmax())
    if first == 0:
        return (
            "The first loss is not the mean cross-entropy of the logits before any step. Is it "
            "a mean over all pairs, of the logits as they are, and taken before the step?"
        )
    return (
        f"The losses are not those of the text's steps, from step {first + 1} on. Is "
        "it Adam with the learning rate of the text, are all pairs in each step, and are "
        "gradients set to zero before it?"
    )


def _calls(calls: object, pairs: int) -> str:
    if not isinstance(calls, np.ndarray) or calls.shape != (shared.STEPS,):
        number = calls.size if isinstance(calls, np.ndarray) else 0
        return (
            f"In {shared.STEPS} steps it calls `logits_of` {number} times: once a step is asked, "
            "for the loss that is returned and for the gradient."
        )
    return "" if (calls == pairs).all() else "It does not give `logits_of` all pairs in each step."


def _learned(learned: object, right: Array) -> str:
    same = _alike(learned, right)
    return "" if same else "The losses are right, and the parameters after the last step are not."


def _alike(got: object, right: object) -> bool:
    if not (isinstance(got, np.ndarray) and isinstance(right, np.ndarray)):
        return False
    return got.shape == right.shape and bool(np.allclose(got, right, rtol=0, atol=LOSS))


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


def _symmetric(table: object, M: Array) -> str:
    if not isinstance(table, np.ndarray) or table.shape != M.shape:
        return "It should return the symmetric table that it trained on."
    if not np.array_equal(table, table.T):
        return "The table that it returns is not symmetric."
    if not np.array_equal(np.triu(table), np.triu(M)):
        return "The table that it returns is symmetric; on and above the diagonal it should be M."
    return ""


def _weighs_nothing(added: object) -> bool:
    """Whether what a mask (T, T) adds to the scores leaves nothing of what comes later."""
    # Of a high and narrow array the places above the diagonal would fill the memory.
    if not isinstance(added, np.ndarray) or added.ndim != 2 or added.shape[0] != added.shape[1]:
        return False
    later: Array = added[np.triu_indices(added.shape[0], 1)]
    return bool(np.isfinite(added).all() and (later <= -1e4).all())


ONE, TWO = (reference.weights_shapes(len(shared.TABLE), layers) for layers in (1, 2))

TABLE = AsTheTextTrains(TWO, _of_the_table, at_least=0.95, examples="pairs", words=_one_order)
SYMMETRIC = OnASymmetricTable(
    ONE,
    _of_the_symmetric,
    at_least=0.99,
    examples="pairs",
    loss=loss_on_the_symmetric,
    at_most=SURE,
    otherwise="Is it trained for all of the steps?",
)
NO_MASK = WithoutAMask(
    TWO,
    _without_a_mask,
    at_least=(CEILING - BELOW) / ALL,
    examples="pairs",
    at_most=FLOOR + ABOVE,
    otherwise="It is sure of entries that are wrong: is it trained on M itself?",
)
