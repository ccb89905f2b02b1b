"""Marks: what each question of a submission earned, and the message that goes with it."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal

from autograder.records.errors import UserError
from autograder.records.facts import SubmissionId
from autograder.records.questions import Heatmap, Visibility

LatePoints = Literal["all", "machine"]

"""Which points lateness takes a share of: all, or those that the machine gave."""

_CENT = Decimal("0.01")

_LARGEST = 1e15


def rounded(points: float) -> float:
    """Return points with two digits, half up, as all marks are: 5.125 -> 5.13.

    What a sum in binary leaves behind the ninth digit is no part of a mark.
    """
    if not abs(points) < _LARGEST:
        return points
    return float(Decimal(repr(round(float(points), 9))).quantize(_CENT, ROUND_HALF_UP)) + 0.0


@dataclass(frozen=True)
class Misconception:
    """A known mistake that an answer fits: its name for staff, where to look, what it is."""

    name: str
    nudge: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Mark:
    """One line of a graded mark sheet. `earned` is None while a person has not marked it.

    `message` is for the student. `by_hand` tells that its points are not the machine's: a `MarkGiver`
    has them. `fault` tells staff why our own check failed on the answer: a first line, and the
    traceback below it.
    """

    question: str
    points: float
    earned: float | None
    message: str
    by_hand: bool = False
    extra: bool = False
    visibility: Visibility = "visible"
    pictures: tuple[Heatmap, ...] = ()
    misconception: Misconception | None = None
    fault: str = ""

    @property
    def verdict(self) -> str:
        """One word for people: "passed", "partly", "failed" or "waiting"."""
        if self.earned is None:
            return "waiting"
        if self.earned >= self.points:
            return "passed"
        return "partly" if self.earned > 0 else "failed"


@dataclass(frozen=True)
class Grade:
    """The marks of one submission.

    Args:
        submission: Which one.
        marks: In the homework's order.
        late: Where it came late, a sentence on that.
        late_share: The share of the points that lateness takes.
        late_points: Of which points: all, or those of the machine.
        time_unknown: Where nobody can tell when it came, a sentence on that, for staff.
        slip_days: Where the course has slip days, a sentence on those used and left.
        remarks: What the student is told above the marks, the most important first.
        complete: Whether every question was evaluated; marks are written while they grow.
        version: Of all that could give other marks to the same facts.
        schema: Version of this record.
    """

    submission: SubmissionId
    marks: tuple[Mark, ...]
    late: str = ""
    late_share: float = 0.0
    late_points: LatePoints = "all"
    time_unknown: str = ""
    slip_days: str = ""
    remarks: tuple[str, ...] = ()
    complete: bool = True
    version: str = ""
    schema: int = 1

    @property
    def penalty(self) -> float:
        """Points that lateness takes, of those that are given by now."""
        counted = [one for one in self.marks if self.late_points == "all" or not one.by_hand]
        return max(0.0, rounded(self.late_share * sum(one.earned or 0.0 for one in counted)))

    @property
    def lost(self) -> bool:
        """Whether lateness takes all points that anybody could give."""
        return self.late_share >= 1 and self.late_points == "all"

    @property
    def score(self) -> float:
        """Points earned so far, extra credit included, without what lateness costs."""
        return rounded(sum(mark.earned or 0.0 for mark in self.marks) - self.penalty)

    @property
    def possible(self) -> float:
        """Points of all questions but extra credit, those marked by hand included."""
        return sum(mark.points for mark in self.marks if not mark.extra)

    @property
    def waiting(self) -> float:
        """Points that a person has still to give."""
        return sum(mark.points for mark in self.marks if mark.earned is None)


@dataclass(frozen=True)
class HandMarks:
    """The marks that count in a gradebook where a person had a say, and what is still open.

    Args:
        points: Question -> points, extra credit included.
        waiting: Questions that wait for a person, for the first time or once more.
        comments: The name of a question or of an answer's cell -> what a person wrote on it.
        code: Question -> the answer's code, of answers that are code.
    """

    points: Mapping[str, float] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)


class MarkGiver:
    """Give marks that the machine does not; a wing names its own in the entry points `autograder.marks`.

    Args:
        title: What pages, tables and [title] in course.toml call the mark that it adds to a submission.
        settings: The record of that table.
    """

    title = ""
    settings: type[Any] | None = None

    def added(self, folder: Path) -> Mark | None:
        """Return the mark to add to a submission, by its folder of results."""

    def by_people(
        self, root: Path, folder: Path, url: str | None
    ) -> tuple[str, Mapping[str, HandMarks]] | None:
        """Return the name of a course's gradebook, and what people gave there to a folder's submissions."""


@functools.cache
def mark_givers() -> tuple[MarkGiver, ...]:
    """Return those of all wings; UserError where none is installed, since their marks would be lost."""
    if not (found := entry_points(group="autograder.marks")):
        raise UserError(
            "this installation of the kit is older than its files; install it anew: run "
            "`pip install -e .` where its pyproject.toml is"
        )
    return tuple(wing.load() for wing in found)


def added_titles() -> frozenset[str]:
    """Return the titles of marks that no question of a homework has."""
    return frozenset(giver.title for giver in mark_givers() if giver.title)


def with_added(grade: Grade, folder: Path) -> Grade:
    """Return a grade with the marks that are added to a submission, if it has any of its own."""
    found = [mark for giver in mark_givers() if (mark := giver.added(folder))]
    return replace(grade, marks=(*grade.marks, *found)) if grade.marks else grade


def without_added(grade: Grade) -> Grade:
    """Return a grade with nothing but the marks of the homework's questions."""
    titles = added_titles()
    return replace(grade, marks=tuple(one for one in grade.marks if one.question not in titles))
