"""The figures of each question, and complaints about questions that look broken."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.records.marks import Mark
from autograder.records.questions import Array
from autograder.staff.class_page import statistics
from autograder.staff.class_page.people import Person
from autograder.staff.class_page.statistics import FEW, ItemStatistics, Whole

WEAK = 0.1
"""A correlation below this hardly shows who knows more."""
MANY_PASSED_HERE = 0.2


@dataclass(frozen=True)
class QuestionFigures:
    """One question's line on the page.

    Args:
        worth: The possible points.
        extra: Whether it is extra credit.
        by_hand: Whether a person marks it.
        waiting: Marks still to be given by hand.
        unanswered: Submissions without an answer, which also count among those with no points.
        complaints: Sentences on what looks wrong with the question itself.
        golf: The sparsity of right answers; None if the question has no par.

    """

    id: str
    worth: float
    extra: bool
    by_hand: bool
    waiting: int
    unanswered: int
    item: ItemStatistics
    complaints: tuple[str, ...] = ()
    golf: "GolfFigures | None" = None


@dataclass(frozen=True)
class GolfFigures:
    """The sparsity of the right answers to a question.

    Args:
        par: The count of a good answer.
        counts: The number of nonzero entries of each, in ascending order.
        sparsest: The submissions with the fewest.

    """

    par: int
    counts: tuple[int, ...]
    sparsest: tuple[str, ...]

    @property
    def at_par(self) -> int:
        """Return how many answers are at or below par."""
        return sum(count <= self.par for count in self.counts)


@dataclass(frozen=True)
class Figures:
    """The figures of a class.

    Args:
        questions: In the homework's order.
        whole: The figures of the totals.
        possible: The possible points, without extra credit.
        bins: Submissions in each tenth of them.
        waiting: Marks still to be given by hand.
        compared: The questions behind alpha and correlations: marked for everybody, without extra credit.

    """

    questions: tuple[QuestionFigures, ...]
    whole: Whole
    possible: float
    bins: tuple[int, ...]
    waiting: int
    compared: tuple[str, ...]


def figures(people: Sequence[Person]) -> Figures:
    """Return the figures of everybody with a grade."""
    graded = [person for person in people if person.grade is not None]
    answers: dict[str, list[tuple[Mark, Person]]] = {}
    for person in graded:
        for mark in person.marks:
            answers.setdefault(mark.question, []).append((mark, person))
    marks = {id: several[0][0] for id, several in answers.items()}
    # NaN if not marked yet.
    points = {id: np.array([p.points.get(id) for p in graded], dtype=float) for id in marks}
    compared = [
        id
        for id, mark in marks.items()
        if not mark.extra and mark.points > 0 and np.isfinite(points[id]).all()
    ]
    scores = _matrix(points, compared, len(graded))
    lines = []
    for id, mark in marks.items():
        others = _matrix(points, [one for one in compared if one != id], len(graded))
        line = QuestionFigures(
            id,
            mark.points,
            mark.extra,
            mark.by_hand,
            waiting=int(np.isnan(points[id]).sum()),
            unanswered=sum(not person.answered(id) for person in graded),
            item=statistics.item(points[id], others.sum(axis=1), mark.points, others),
            golf=_golf(answers[id]),
        )
        said = (*complaints(line), *_of_marks(answers[id]))
        lines.append(replace(line, complaints=said))
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


def _golf(answers: Sequence[tuple[Mark, Person]]) -> GolfFigures | None:
    found = [(mark.golf, person.student) for mark, person in answers if mark.golf]
    if not found:
        return None
    fewest = min(golf.count for golf, _ in found)
    sparsest = tuple(student for golf, student in found if golf.count == fewest)
    return GolfFigures(found[0][0].par, tuple(sorted(g.count for g, _ in found)), sparsest)


def _matrix(points: Mapping[str, Array], questions: Sequence[str], people: int) -> Array:
    return np.column_stack([np.zeros((people, 0)), *(points[id] for id in questions)])


def complaints(line: QuestionFigures) -> list[str]:
    """Return the reasons why a question's figures make it look broken."""
    item, found = line.item, []
    r, interval = item.correlation, item.interval
    if r is not None and r < 0:
        if interval and interval[1] < 0:
            found.append(
                "Students who do better in the other questions do worse here. That is "
                "nearly always a bug in the check, a wrong reference or an ambiguous "
                "text: look at it before you publish marks."
            )
        else:
            found.append(
                "Students who do better in the other questions do no better here, "
                "perhaps by chance. Look at some of the answers."
            )
    elif interval and r is not None and r < WEAK and interval[1] < 2 * WEAK:
        found.append("It says next to nothing about how much people know in the other questions.")
    answered = item.count - min(line.unanswered, item.count)
    if line.worth > 0 and answered >= statistics.FEWEST:
        if item.full == 0 and item.part == 0:
            found.append(f"None of {answered} answers earned anything: is the check right?")
        elif item.full == 0:
            found.append(f"None of {answered} answers earned all points: is that possible?")
        elif item.full == item.count and not line.by_hand:
            found.append("Everybody has all points, so it distinguishes nobody.")
    return found


def _of_marks(answers: Sequence[tuple[Mark, Person]]) -> list[str]:
    found = []
    if faults := sum(bool(mark.fault) for mark, _ in answers):
        found.append(f"Its check failed on {faults} answers: see failure.txt there.")
    fooled = sum(
        mark.verdict == "failed" and mark.question in person.log.passed_here
        for mark, person in answers
        if person.log
    )
    answered = sum(person.answered(mark.question) for mark, person in answers)
    if fooled >= statistics.FEWEST and fooled >= MANY_PASSED_HERE * answered:
        found.append(
            f"{fooled} of {answered} answers passed the check in the notebook but earned "
            "nothing: the visible check accepts too much, or the hidden one too little."
        )
    return found


def how_sure(count: int) -> str:
    """Return a caution about a small class; "" if the class is large enough."""
    if count == 0:
        return "No submission could be graded, so there is nothing to show."
    if count == 1:
        return "There is only one submission, too few for figures of a class."
    if count < statistics.FEWEST:
        return f"{count} submissions are too few for any conclusion about a question."
    if count < FEW:
        return (
            f"With {count} submissions, all figures are uncertain: a different class of "
            "this size may give quite different ones. Look at the intervals."
        )
    return ""
