"""What a page on a class knows of each person, and whom somebody should look at."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from scipy import stats

from autograder.marking.mark import late_words
from autograder.records.codec import one_line
from autograder.records.facts import NOT_TRAINED, said_to
from autograder.records.marks import Grade
from autograder.store.log_summary import BriefLog

JUMP = 0.4
"""Of the class: a person who falls by more places than this against an earlier homework is named."""
FEWEST_TO_COMPARE = 10
_ENDED = {"timed_out": "did not finish in time", "killed": "ended its process"}


@dataclass(frozen=True)
class Person:
    """One person's submission.

    Args:
        student: The opaque id, the folder's name; of somebody in the roster alone, their id.
        points: Question -> points, those that people gave included; None for a mark that waits.
        grade: All marks but that of a defence; None without a submission that could be graded.
        log: The facts without values; None as above.
        possible: What can be earned, a defence included.
        why: Why there is no grade; "" where there is one.
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
    def total(self) -> float:
        """Points so far, what lateness costs included."""
        return sum(points or 0.0 for points in self.points.values())

    def answered(self, question: str) -> bool:
        """Whether there is an answer to a question, right or wrong."""
        if self.log is None:
            return False
        if question in self.log.written:
            return self.log.written[question] == "answered"
        if question in self._evaluated:
            return self._evaluated[question]
        return bool(self.points.get(question))

    @functools.cached_property
    def _evaluated(self) -> Mapping[str, bool]:
        """Question -> whether an answer said something, or ended its process."""
        found: dict[str, bool] = {}
        for outcome in self.log.outcomes if self.log else ():
            said = outcome.says_something or outcome.status in _ENDED
            found[outcome.question] = found.get(outcome.question, False) or said
        if self.log and any(found.values()):  # as the student's report has it
            found |= {o.question: True for o in self.log.outcomes if o.error == NOT_TRAINED}
        return found


def worries(person: Person) -> list[str]:
    """Return why somebody should look at a submission, the most pressing first; often nothing."""
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
        for status, said in _ENDED.items()
        for question in sorted({o.question for o in log.outcomes if o.status == status})
    ]
    found += [
        f"the check of {mark.question} passed in the notebook, and it earned 0"
        for mark in grade.marks
        if mark.question in log.passed_here and mark.earned == 0 and not mark.by_hand
    ]
    found += [f"two texts may be the answer to {question}" for question in log.candidates]
    found += [
        f"the answer to {mark.question} is not in its cell: look through the notebook"
        for mark in grade.marks
        if mark.earned is None and log.written.get(mark.question) == "missing"
    ]
    return [*found, *map(one_line, filter(None, (late_words(grade), grade.time_unknown)))]


def falls(now: Mapping[str, float], earlier: Mapping[str, float]) -> dict[str, str]:
    """Return, by id, who is much further down in the class than in an earlier homework, and how far.

    Places count and not points, since one homework is harder than another; only those who have
    both are compared.
    """
    both = [id for id in now if id in earlier]
    if len(both) < FEWEST_TO_COMPARE:
        return {}
    places = [
        (stats.rankdata([totals[id] for id in both]) - 0.5) / len(both) for totals in (earlier, now)
    ]
    return {
        id: f"was ahead of {100 * before:.0f} % of the class, and is ahead of {100 * after:.0f} %"
        for id, before, after in zip(both, *places, strict=True)
        if before - after > JUMP
    }
