"""The people on a class page, and those who need attention."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.marking.mark import late_words
from autograder.records.codec import one_line
from autograder.records.facts import NOT_TRAINED, said_to
from autograder.records.marks import Grade, Mark
from autograder.store.log_summary import BriefLog

JUMP = 0.4
"""The share of the class by which a person must fall since an earlier homework to be named."""
FEWEST_TO_COMPARE = 10
ENDED = {"timed_out": "did not finish in time", "killed": "crashed"}
"""The words for a question whose evaluation ended with such a status."""


@dataclass(frozen=True)
class Person:
    """One person's submission.

    Args:
        student: The opaque id and folder name; for people without a submission, the roster's id.
        points: Question -> points, including those from people; None for open marks.
        grade: All marks except a defence's; None without a graded submission.
        log: The facts without values; None as above.
        possible: The possible points, including a defence.
        why: Why there is no grade, or "".
        failed: Whether the grader itself failed on it.

    """

    student: str
    points: Mapping[str, float | None] = field(default_factory=dict)
    grade: Grade | None = None
    log: BriefLog | None = None
    possible: float = 0.0
    why: str = ""
    failed: bool = False

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Return the marks; none without a graded submission."""
        return self.grade.marks if self.grade else ()

    @property
    def total(self) -> float:
        """Return the points so far, less the cost of lateness."""
        return sum(points or 0.0 for points in self.points.values())

    def answered(self, question: str) -> bool:
        """Return whether a question has an answer, right or wrong."""
        if self.log is None:
            return False
        if question in self.log.written:
            return self.log.written[question] == "answered"
        if question in self._evaluated:
            return self._evaluated[question]
        return bool(self.points.get(question))

    @functools.cached_property
    def _evaluated(self) -> Mapping[str, bool]:
        """Map each question to True if an answer gave an output or crashed, otherwise to False."""
        found: dict[str, bool] = {}
        for outcome in self.log.outcomes if self.log else ():
            said = outcome.says_something or outcome.status in ENDED
            found[outcome.question] = found.get(outcome.question, False) or said
        if self.log and any(found.values()):  # the student's report does the same
            found |= {o.question: True for o in self.log.outcomes if o.error == NOT_TRAINED}
        return found


def worries(person: Person) -> list[str]:
    """Return the reasons to look at a submission, most pressing first; often none."""
    if person.grade is None or person.log is None:
        return [person.why]
    log, grade = person.log, person.grade
    found = []
    if person.failed:
        found.append("the grader itself failed: see failure.txt")
    found += map(one_line, said_to((*log.remarks, *log.repairs), "staff"))
    if not log.unrelated and not any(person.answered(mark.question) for mark in grade.marks):
        found.append("nothing is answered")
    found += [
        f"{question} {said}"
        for status, said in ENDED.items()
        for question in sorted({o.question for o in log.outcomes if o.status == status})
    ]
    found += [
        f"the check of {mark.question} passed in the notebook, but it earned 0"
        for mark in grade.marks
        if mark.question in log.passed_here and mark.earned == 0 and not mark.by_hand
    ]
    found += [f"two texts may be the answer to {question}" for question in log.candidates]
    found += [
        f"the answer to {mark.question} is not in its cell: search the notebook for it"
        for mark in grade.marks
        if mark.earned is None and log.written.get(mark.question) == "missing"
    ]
    return [*found, *map(one_line, filter(None, (late_words(grade), grade.time_unknown)))]


def falls(now: Mapping[str, float], earlier: Mapping[str, float]) -> dict[str, str]:
    """Return by id the people who rank much lower in the class than in an earlier homework.

    Ranks count instead of points, since homeworks differ in difficulty; only people with both
    homeworks are compared.
    """
    both = [id for id in now if id in earlier]
    if len(both) < FEWEST_TO_COMPARE:
        return {}
    from scipy import stats  # groups also get their names without a log

    places = [
        (stats.rankdata([totals[id] for id in both]) - 0.5) / len(both) for totals in (earlier, now)
    ]
    return {
        id: f"was ahead of {100 * before:.0f} % of the class, and is now ahead of "
        f"{100 * after:.0f} %"
        for id, before, after in zip(both, *places, strict=True)
        if before - after > JUMP
    }
