"""Marks: the points of each question of a submission, with its message."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from importlib.metadata import distributions, entry_points
from pathlib import Path
from typing import Any, Literal

from autograder.records.errors import UserError
from autograder.records.facts import Digest, SubmissionId
from autograder.records.questions import Heatmap, Visibility

LatePoints = Literal["all", "machine"]
"""The points that lateness reduces: all, or only the machine's."""

_CENT = Decimal("0.01")

_LARGEST = 1e15


def rounded(points: float) -> float:
    """Round points to two digits, half up, as for all marks: 5.125 -> 5.13.

    Digits beyond the ninth are rounding errors of binary sums.
    """
    if not abs(points) < _LARGEST:
        return points
    return float(Decimal(repr(round(float(points), 9))).quantize(_CENT, ROUND_HALF_UP)) + 0.0


@dataclass(frozen=True)
class Misconception:
    """A known mistake that an answer matches: its name for staff, where to look, an explanation.

    `of_group` marks a `NamedGroup`: people wrote its sentence for the students concerned.
    """

    name: str
    nudge: str
    explanation: str
    of_group: bool = False

    def told(self, *, explain: bool) -> dict[str, str]:
        """Return the texts for students, each with its heading."""
        lines = {"Where to look": self.nudge} if self.nudge else {}
        named = {"What it looks like": self.explanation} if explain or self.of_group else {}
        return lines | named


@dataclass(frozen=True)
class NamedGroup:
    """A group of equal wrong answers, named by people: a table of staff/named.toml.

    Args:
        question: The question.
        sentence: The mistake in a sentence, for each of these students.
        inputs: Digest of the inputs that all submissions share.
        values: One digest per case of the answers' results.
        where: Where to look, if given.
        name: The table's name.
    """

    question: str
    sentence: str
    inputs: str
    values: tuple[Digest, ...]
    where: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Golf:
    """The sparsity of a right answer.

    Args:
        count: The number of its nonzero entries.
        largest: The largest absolute value.
        par: The count of a good answer.
        points: The extra credit.
    """

    count: int
    largest: float
    par: int
    points: float = 0.0

    @property
    def words(self) -> str:
        """Return the sentence for the student."""
        under = self.par - self.count
        to_par = "at par" if not under else f"{abs(under)} {'below' if under > 0 else 'above'} par"
        return (
            f"Attention golf: {self.count} nonzero numbers, {to_par} ({self.par}); the "
            f"largest is {self.largest:.3g}."
        )


@dataclass(frozen=True, slots=True)
class Mark:
    """One line of a graded mark sheet. `earned` is None until a person has marked it.

    `message` is for the student. With `by_hand`, the points come from a `MarkGiver`, not the
    machine. `fault` tells staff why our own check failed on the answer: one line, then the
    traceback.
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
    golf: Golf | None = None

    @property
    def verdict(self) -> str:
        """Return one word for people: "passed", "partly", "failed" or "waiting"."""
        if self.earned is None:
            return "waiting"
        if self.earned >= self.points:
            return "passed"
        return "partly" if self.earned > 0 else "failed"


@dataclass(frozen=True)
class Grade:
    """The marks of one submission.

    Args:
        submission: The submission's identity.
        marks: In the homework's order.
        late: A sentence on its lateness, if any.
        late_share: The share of the points that lateness costs.
        late_points: The points concerned: all, or only the machine's.
        time_unknown: A sentence for staff if the time of submission is unknown.
        slip_days: A sentence on slip days used and left, if the course has them.
        remarks: The remarks above the marks, most important first.
        complete: Whether every question was evaluated; unfinished marks are also written.
        version: The version of everything that turns facts into marks.
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
        """Return the points that lateness costs, of those earned so far."""
        counted = [one for one in self.marks if self.late_points == "all" or not one.by_hand]
        return max(0.0, rounded(self.late_share * sum(one.earned or 0.0 for one in counted)))

    @property
    def lost(self) -> bool:
        """Return whether lateness takes all possible points."""
        return self.late_share >= 1 and self.late_points == "all"

    @property
    def score(self) -> float:
        """Return the points earned so far, including extra credit, before lateness."""
        return rounded(sum(mark.earned or 0.0 for mark in self.marks) - self.penalty)

    @property
    def passed(self) -> frozenset[str]:
        """Return the questions with full marks."""
        return frozenset(mark.question for mark in self.marks if mark.verdict == "passed")

    @property
    def possible(self) -> float:
        """Return the points of all questions except extra credit, including those marked by hand."""
        return sum(mark.points for mark in self.marks if not mark.extra)

    @property
    def waiting(self) -> float:
        """Return the points that are still to be marked by hand."""
        return sum(mark.points for mark in self.marks if mark.earned is None)


GOLF = "golf"
"""The title of the mark with the extra credit of attention golf."""


def golf_mark(grade: Grade) -> Mark | None:
    """Return one mark for all sparse answers; None if none earned a bonus."""
    earned = {mark.question: mark.golf.points for mark in grade.marks if mark.golf}
    total = sum(earned.values())
    if not total:
        return None
    questions = ", ".join(f"`{question}`" for question, points in earned.items() if points)
    return Mark(GOLF, total, total, f"At par or below: {questions}.", extra=True)


def with_golf(grade: Grade) -> Grade:
    """Return a grade with the mark for sparse answers, as a student's page shows it.

    No stored grade has this mark: `report` adds it through the entry points `autograder.marks`.
    """
    golf = golf_mark(grade)
    return replace(grade, marks=(*grade.marks, golf)) if golf else grade


@dataclass(frozen=True)
class HandMarks:
    """A gradebook's marks for questions that people mark, and the questions still to be marked.

    Args:
        points: Question -> points, extra credit included.
        waiting: Questions to be marked by hand, for the first time or again.
        comments: Name of a question or an answer's cell -> a person's comment.
        code: Question -> the answer's code, for code answers.
        items: Question marked with a rubric -> each item's words, and whether the answer has it.
    """

    points: Mapping[str, float] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)


class MarkGiver:
    """A source of marks beside the machine; a wing registers its own under `autograder.marks`.

    Args:
        title: The name of its mark in pages, tables and course.toml ([title]).
        settings: The record of that table's settings.
    """

    title = ""
    settings: type[Any] | None = None

    def added(self, grade: Grade, folder: Path) -> Mark | None:
        """Return the mark to add to a submission, given its grade or its folder of results."""

    def by_people(
        self, root: Path, folder: Path, url: str | None
    ) -> tuple[str, Mapping[str, HandMarks]] | None:
        """Return the name of a course's gradebook, and its marks for a folder's submissions."""


@functools.cache
def mark_givers() -> tuple[MarkGiver, ...]:
    """Return the mark givers of all wings; raise UserError if an installation lacks them."""
    found = entry_points(group="autograder.marks")
    if not found and not [*distributions(name="attention-homework-kit")]:
        return ()  # a container has only the files, and only the machine's marks
    if not found:
        raise UserError(
            "this installation of the kit is older than its files; reinstall it: run "
            "`pip install -e .` in the folder of its pyproject.toml"
        )
    return tuple(wing.load() for wing in found)


def given_by_people(
    root: Path, folder: Path, url: str | None
) -> tuple[str, Mapping[str, HandMarks]] | None:
    """Return the first gradebook that a wing knows for a folder, as `MarkGiver.by_people`; or None."""
    found = (giver.by_people(root, folder, url) for giver in mark_givers())
    return next(filter(None, found), None)


def added_titles() -> frozenset[str]:
    """Return the titles of the marks that wings add, which belong to no question."""
    return frozenset(giver.title for giver in mark_givers() if giver.title)


def with_added(grade: Grade, folder: Path) -> Grade:
    """Return a grade with any marks that wings add to the submission."""
    found = [mark for giver in mark_givers() if (mark := giver.added(grade, folder))]
    return replace(grade, marks=(*grade.marks, *found)) if grade.marks else grade


def without_added(grade: Grade) -> Grade:
    """Return a grade with only the marks of the homework's questions."""
    titles = added_titles()
    return replace(grade, marks=tuple(one for one in grade.marks if one.question not in titles))
