"""Matrices designed by hand, told from those of a recorded training run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from autograder.marks.attention import AttentionTask
from autograder.model import Array, Inputs, Value, Verdict

ALIKE = 0.9995
"""The least cosine, over the queries, between the scores of two heads that are one but for factors.

Recorded matrices rounded to two digits have 0.9999, the nearest design of `drawn.py` has 0.997.
"""


@dataclass(frozen=True)
class Designed(AttentionTask):
    """As `AttentionTask`, where a recorded head earns `partial` at most, whatever it is multiplied by.

    Args:
        recorded: Km, Qm and, with positions, pos of the recorded run, which the notebook prints.
    """

    recorded: Mapping[str, Array] = field(default_factory=dict, hash=False)

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge matrices, and whose they are."""
        verdict = super().__call__(inputs, value)
        if verdict.fraction <= self.partial or not self.is_recorded(value):
            return verdict
        worth = "half" if self.partial == 0.5 else "nothing"
        return replace(
            verdict,
            fraction=self.partial,
            message=(
                "It does what is asked. But Qm Km^T, which makes the scores, is that of the "
                "recorded training run, multiplied: that is no design of your own, and is worth "
                f"{worth}."
            ),
        )

    @np.errstate(all="ignore")
    def is_recorded(self, value: Value) -> bool:
        """Whether every query prefers the keys as it does in the recorded head, in proportion."""
        ours, theirs = self._preferences(value), self._preferences(self.recorded)
        return bool(((ours * theirs).sum(axis=1) > ALIKE).all())

    def _preferences(self, value: Value) -> Array:
        """Return the scores of all tokens at all positions, each row with mean 0 and length 1.

        A softmax does not see what is added to all scores of a query.
        """
        rows = np.eye(len(self.tokens) + (self.prefix is not None))
        if self.positions is not None:
            places = value["pos"][: self.positions]
            rows = np.array([[*token, *place] for place in places for token in rows])
        scores: Array = (rows @ value["Qm"]) @ (rows @ value["Km"]).T
        scores = scores - scores.mean(axis=1, keepdims=True)
        lengths = np.linalg.norm(scores, axis=1, keepdims=True)
        found: Array = scores / np.where(lengths > 0, lengths, 1)
        return found
