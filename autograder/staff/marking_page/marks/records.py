"""Records of a question's items, of an answer's marks, and of people's progress."""

from collections.abc import Mapping
from dataclasses import dataclass


class Conflict(Exception):
    """A page's change does not match what the page has shown; the message tells why."""


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
        id: nbgrader's id of the grade, which tells nothing of the student.
        items: The ids of the items that it has.
        adjustment: Points beside them.
        score: What counts as a person's mark; None where there is none.
        automatic: The machine's mark: 0 for what is empty or unchanged, else None.
        waiting: Whether a person is needed.
        elsewhere: Whether the score was given in formgrader, and not here.
        marker: The person that marked it here.
        version: Counts the changes that were made here.
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
    """The progress of a question: answers done, all that people mark, and done by each marker."""

    done: int
    all: int
    markers: Mapping[str, int]
