"""The figures of each question of a homework, and the complaints where one looks broken."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.records.marks import Mark
from autograder.records.questions import Array
from autograder.staff.class_page import statistics
from autograder.staff.class_page.people import Person
from autograder.staff.class_page.statistics import FEW, ItemStatistics, Whole

WEAK = 0.1
"""A correlation below this tells next to nothing about who knows more."""
MANY_PASSED_HERE = 0.2


@dataclass(frozen=True)
class QuestionFigures:
    """One question's line on the page.

    Args:
        worth: The most that can be earned.
        extra: Whether it is extra credit.
        by_hand: Whether a person marks it.
        waiting: Marks that a person has still to give.
        unanswered: Submissions without an answer; they are among those with no points.
        complaints: What looks wrong with the question itself, in sentences.
    """

    id: str
    worth: float
    extra: bool
    by_hand: bool
    waiting: int
    unanswered: int
    item: ItemStatistics
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class Figures:
    """The figures of a class.

    Args:
        questions: In the homework's order.
        whole: Of the totals.
        possible: Points that can be earned, extra credit left out.
        bins: Submissions in each tenth of that.
        waiting: Marks that a person has still to give.
        compared: Questions that alpha and correlations are about: marked for everybody, no extra credit.
    """

    questions: tuple[QuestionFigures, ...]
    whole: Whole
    possible: float
    bins: tuple[int, ...]
    waiting: int
    compared: tuple[str, ...]


def figures(people: Sequence[Person]) -> Figures:
    """Return the figures of those who have a grade."""
    graded = [person for person in people if person.grade is not None]
    marks: dict[str, Mark] = {}
    for person in graded:
        for mark in person.grade.marks if person.grade else ():
            marks.setdefault(mark.question, mark)
    points = {id: _points(graded, id) for id in marks}
    compared = [
        id
        for id, mark in marks.items()
        if not mark.extra and mark.points > 0 and np.isfinite(points[id]).all()
    ]
    scores = _matrix(points, compared, len(graded))
    lines = []
    for id, mark in marks.items():
        others = _matrix(points, [one for one in compared if one != id], len(graded))
        item = statistics.item(points[id], others.sum(axis=1), mark.points, others)
        unanswered = sum(not person.answered(id) for person in graded)
        line = QuestionFigures(
            id,
            mark.points,
            mark.extra,
            mark.by_hand,
            waiting=int(np.isnan(points[id]).sum()),
            unanswered=unanswered,
            item=item,
            complaints=(),
        )
        said = (*complaints(line), *_of_marks(id, graded))
        lines.append(QuestionFigures(**{**vars(line), "complaints": said}))
    totals = [person.total for person in graded]
    questions = sum(mark.points for mark in marks.values() if not mark.extra)
    possible = max([questions, *(person.possible for person in graded)])
    return Figures(
        tuple(lines),
        statistics.whole(np.array(totals, dtype=float), scores),
        possible,
        tuple(statistics.bins(totals, possible)),
        sum(line.waiting for line in lines),
        tuple(compared),
    )


def _points(people: Sequence[Person], question: str) -> Array:
    """Return what each earned, (people,); NaN where it is not marked yet."""
    found = [person.points.get(question) for person in people]
    return np.array([np.nan if points is None else points for points in found], dtype=float)


def _matrix(points: Mapping[str, Array], questions: Sequence[str], people: int) -> Array:
    empty = np.zeros((people, 0))
    return np.column_stack([points[id] for id in questions]) if questions else empty


def complaints(line: QuestionFigures) -> list[str]:
    """Return why a question looks broken by its figures; [] where it does not."""
    item, found = line.item, []
    r, interval = item.correlation, item.interval
    if r is not None and r < 0:
        if interval and interval[1] < 0:
            found.append(
                "Students who do better in the other questions do worse here. That is nearly always a "
                "bug in the check, a wrong reference or a text that can be read in two ways: look "
                "at it before marks are given out."
            )
        else:
            found.append(
                "Students who do better in the other questions do no better here; that may be chance. "
                "Look at some of the answers."
            )
    elif interval and r is not None and r < WEAK and interval[1] < 2 * WEAK:
        found.append("It tells next to nothing about how much people know in the other questions.")
    answered = item.count - min(line.unanswered, item.count)
    if line.worth > 0 and answered >= statistics.FEWEST:
        if item.full == 0 and item.part == 0:
            found.append(f"None of {answered} answers earned anything: is the check right?")
        elif item.full == 0:
            found.append(f"None of {answered} answers earned all points: can that be done?")
        elif item.full == item.count and not line.by_hand:
            found.append("Everybody has all points: it tells nobody apart.")
    return found


def _of_marks(question: str, people: Sequence[Person]) -> list[str]:
    marks = [
        (mark, person)
        for person in people
        for mark in (person.grade.marks if person.grade else ())
        if mark.question == question
    ]
    found = []
    if faults := sum(bool(mark.fault) for mark, _ in marks):
        found.append(f"Its check failed on {faults} answers: failure.txt there shows where.")
    fooled = sum(
        mark.verdict == "failed" and person.log is not None and question in person.log.passed_here
        for mark, person in marks
    )
    answered = sum(person.answered(question) for _, person in marks)
    if fooled >= statistics.FEWEST and fooled >= MANY_PASSED_HERE * answered:
        found.append(
            f"{fooled} of {answered} answers passed the check in the notebook and earned nothing: "
            "the visible check lets too much through, or the hidden one too little."
        )
    return found


def how_sure(count: int) -> str:
    """Return a sentence on a small class; "" for one that is large enough."""
    if count == 0:
        return "No submission could be graded, so that there is nothing to show."
    if count == 1:
        return "There is one submission: figures of a class need more."
    if count < statistics.FEWEST:
        return f"With {count} submissions, nothing can be concluded about a question."
    if count < FEW:
        return (
            f"With {count} submissions all figures are unsure: another class of this size may have "
            "quite different ones. Look at the intervals."
        )
    return ""
