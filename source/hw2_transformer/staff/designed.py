"""Matrices designed by hand, told from those of a recorded training run."""

from dataclasses import dataclass, field, replace

import numpy as np

from autograder.kit import Array, Inputs, Value, Verdict

from .attention import AttentionTask

ALIKE = 0.9995
"""The least cosine, over the queries, between the scores of two heads that are one but for factors.

Recorded matrices rounded to two digits have 0.9999, the nearest design of `drawn.py` has 0.997.
"""


@dataclass(frozen=True)
class Designed(AttentionTask):
    """As `AttentionTask`, where a recorded head earns `partial` at most, whatever it is multiplied by.

    Args:
        recorded: The scores of the recorded run, a row for every token at every position.
    """

    recorded: Array = field(default_factory=lambda: np.zeros((0, 0)), hash=False, compare=False)

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
                "It does what is asked, but each query's scores are in proportion to those of the "
                f"recorded run: a copy, not a design, which earns {worth} here."
            ),
        )

    @np.errstate(all="ignore")
    def is_recorded(self, value: Value) -> bool:
        """Whether every query prefers the keys as it does in the recorded head, in proportion."""
        size = len(self.tokens) + (self.prefix is not None)
        seen = np.eye(size)
        if self.positions is not None:
            places = value["pos"][: self.positions]
            seen = np.hstack([np.tile(seen, (len(places), 1)), np.repeat(places, size, axis=0)])
        scores = seen @ value["Qm"] @ value["Km"].T @ seen.T
        cosines = np.einsum("qk,qk->q", _preferences(scores), _preferences(self.recorded))
        return bool(np.all(cosines > ALIKE))


def _preferences(scores: Array) -> Array:
    """Return scores with each row's mean 0 and its length 1: a softmax does not see their mean."""
    scores = scores - np.mean(scores, axis=1)[:, None]
    lengths = np.sqrt(np.sum(scores**2, axis=1))[:, None]
    found: Array = scores / np.where(lengths > 0, lengths, 1)
    return found
