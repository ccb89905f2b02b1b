"""Records of a question's items, of an answer's marks, and of people's progress."""

from collections.abc import Mapping
from dataclasses import dataclass


class Conflict(Exception):
    """An error: the answer has changed since the page showed it; the message gives the reason."""


@dataclass(frozen=True)
class MarkingItem:
    """A rubric item as it is now.

    Args:
        points: In steps of 0.25; negative for a deduction.
    """

    id: int
    points: float
    words: str


@dataclass(frozen=True)
class Marked:
    """An answer's marks.

    Args:
        id: nbgrader's id of the grade, which reveals nothing about the student.
        items: The ids of the items that it has.
        adjustment: Points in addition to the items'.
        score: The person's mark that counts, or None.
        automatic: The machine's mark: 0 for an empty or unchanged answer, otherwise None.
        waiting: Whether a person is needed.
        elsewhere: Whether the score was given in formgrader instead of here.
        marker: The person who marked it here.
        version: The number of changes made here.
    """

    id: str
    student: str
    items: frozenset[int]
    adjustment: float
    comment: str
    score: float | None
    automatic: float | None
    waiting: bool
    elsewhere: bool
    marker: str
    version: int

    @property
    def changed(self) -> bool:
        """Return whether the text has changed since it was marked."""
        return self.waiting and self.score is not None

    @property
    def done(self) -> bool:
        """Return whether nobody has to look at it."""
        return not self.waiting


@dataclass(frozen=True)
class Progress:
    """The progress of a question: answers done, all answers, and each marker's answers."""

    done: int
    all: int
    markers: Mapping[str, int]
