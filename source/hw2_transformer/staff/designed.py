"""Matrices designed by hand, told from those of a recorded training run."""

from dataclasses import dataclass, field, replace

import numpy as np

from autograder.kit import Array, Inputs, Value, Verdict

from .attention import AttentionTask


@dataclass(frozen=True)
class Designed(AttentionTask):
    """As `AttentionTask`, where a recorded head earns nothing, whatever it is multiplied by.

    A head is the recorded one, or nearly, where every query's scores have a cosine above `alike`
    with its recorded scores. What is like them by chance would be accused wrongly, so `alike` is
    nearer to the recorded head than to the plainest design: for identity that design has 0.9961,
    for copy_first 0.975, and no design of `drawn.py` for unique has more than 0.5.

    Args:
        recorded: The scores of the recorded run, a row for every token at every position.
        alike: The cosine above which a head counts as recorded.
    """

    recorded: Array = field(default_factory=lambda: np.zeros((0, 0)), hash=False, compare=False)
    alike: float = 1.0

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge matrices, and whose they are."""
        verdict = super().__call__(inputs, value)
        if not verdict.fraction or not self.is_recorded(value):
            return verdict
        return replace(
            verdict,
            fraction=0.0,
            message=(
                "Each query's scores are in proportion to those of the recorded run, or nearly: "
                "a copy, not a design of your own, which earns nothing here."
            ),
        )

    @np.errstate(all="ignore")
    def is_recorded(self, value: Value) -> bool:
        """Whether every query prefers the keys as it does in the recorded head, or nearly."""
        size = len(self.tokens) + (self.prefix is not None)
        seen = np.eye(size)
        if self.positions is not None:
            places = value["pos"][: self.positions]
            seen = np.hstack([np.tile(seen, (len(places), 1)), np.repeat(places, size, axis=0)])
        scores = seen @ value["Qm"] @ value["Km"].T @ seen.T
        cosines = np.einsum("qk,qk->q", _preferences(scores), _preferences(self.recorded))
        return bool(np.all(cosines > self.alike))


def _preferences(scores: Array) -> Array:
    """Return scores with each row's mean 0 and its length 1: a softmax does not see their mean."""
    scores = scores - np.mean(scores, axis=1)[:, None]
    lengths = np.sqrt(np.sum(scores**2, axis=1))[:, None]
    found: Array = scores / np.where(lengths > 0, lengths, 1)
    return found
