"""The judge's own model: weights that came back are tried on every pair, and counted."""

from dataclasses import dataclass

import numpy as np

from autograder.marks.trained import Accurate
from autograder.model import Array, Inputs, Value, Verdict

from . import cases, reference

ALL = len(cases.TABLE) ** 2
CEILING = round(float(reference.ceiling(cases.TABLE)["the share"]) * ALL)
"""The pairs that a model gets right that cannot tell (i, j) from (j, i)."""
BELOW = 2
"""So many fewer still count as having reached it."""


def _right(value: Value, table: Array, blocked: Array) -> Array:
    n = len(table)
    pairs = np.array([(i, j) for i in range(n) for j in range(n)])
    weights = {name: item for name, item in value.items() if "." in name}
    answers = reference.logits(pairs, 1, blocked, **weights).argmax(axis=1)
    right: Array = answers == table.ravel()
    return right


def _of_the_table(value: Value) -> Array:
    return _right(value, cases.TABLE, reference.future(3))


def _of_the_symmetric(value: Value) -> Array:
    return _right(value, reference.symmetric(cases.TABLE), reference.future(3))


def _without_a_mask(value: Value) -> Array:
    return _right(value, cases.TABLE, np.zeros((3, 3)))


def _one_order(wrong: Array) -> str:
    """Say where one of (i, j) and (j, i) is right and the other wrong, for most pairs."""
    table = wrong.reshape(cases.TABLE.shape)
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
        if not isinstance(table, np.ndarray) or table.shape != cases.TABLE.shape:
            return "It should return the symmetric table that it trained on."
        if not np.array_equal(table, table.T):
            return "The table that it returns is not symmetric."
        if not np.array_equal(np.triu(table), np.triu(cases.TABLE)):
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


ONE, TWO = (reference.weights_shapes(len(cases.TABLE), layers) for layers in (1, 2))

TABLE = Accurate(TWO, _of_the_table, at_least=0.95, examples="pairs", words=_one_order)
SYMMETRIC = OnASymmetricTable(ONE, _of_the_symmetric, at_least=0.99, examples="pairs")
NO_MASK = Accurate(TWO, _without_a_mask, at_least=(CEILING - BELOW) / ALL, examples="pairs")
