"""A figure that a homework's lab measures, beside the one that others found."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure.

    Args:
        what: What was measured, in words.
        reference: The figure that others found, as they give it.
        low: What ours is at least, to be called the same.
        high: What it is at most.
        why: Said where ours is not the same, or where words are needed.
        form: How a figure is written.
    """

    what: str
    reference: str
    low: float
    high: float
    why: str = ""
    form: str = ".3f"

    def holds(self, figures: Sequence[float]) -> bool:
        """Whether each figure is the same as the reference's."""
        return all(self.low <= figure <= self.high for figure in figures)
