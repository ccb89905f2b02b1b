"""Logs -> marks again, without running student code, and who gains or loses by it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder import codec
from autograder.course import inputs
from autograder.course.course import Course
from autograder.marking.diagnose import diagnose
from autograder.marking.judge import judge
from autograder.marking.lateness import with_lateness
from autograder.model import Grade, Homework, Mark, SubmissionLog, UserError
from autograder.sandbox.known_values import Bank
from autograder.store import results
from autograder.submission.discover import LOG_NAME

LATE = "late"
"""What a change of the points that lateness costs is called, in the place of a question."""
AGAIN = "Not judged again: its hidden inputs are drawn in another way now. Run `autograder grade`."


@dataclass(frozen=True)
class Change:
    """One mark that is another one now, and the message that says why."""

    question: str
    before: float
    after: float
    why: str


@dataclass(frozen=True)
class Regraded:
    """What one graded hand-in gets now.

    Args:
        folder: Where its results lie.
        log: The facts, as they were found.
        grade: The marks now; a mark that cannot be judged again is the old one.
        changes: The marks that differ.
        stale: Questions to be run again.
    """

    folder: Path
    log: SubmissionLog
    grade: Grade
    changes: tuple[Change, ...]
    stale: tuple[str, ...]

    @property
    def difference(self) -> float:
        """Points gained, or lost when below zero."""
        return sum(change.after - change.before for change in self.changes)


def regrade(
    out: Path,
    load: Callable[[str], Homework],
    course: Course,
    bank: Callable[[str], Bank],
) -> Iterator[Regraded | str]:
    """Judge every log in a folder that `autograder grade` wrote; write nothing.

    Args:
        out: The folder. A results.json alone, as Gradescope gives it back, carries its log.
        load: Returns a homework by its name.
        course: Its secret draws the hidden inputs again.
        bank: Returns a homework's known mistakes by its name.

    Yields:
        What each hand-in gets now, or one line that says why it cannot be judged.

    Raises:
        UserError: there is no log in the folder.
    """
    folders = sorted(out.glob("*/"))
    if not any(map(results.has_log, folders)):
        raise UserError(f"{out} holds no results; give the folder that `autograder grade` wrote")
    for folder in folders:
        path = folder / LOG_NAME
        if not results.has_log(folder):
            if results.has_marks(folder):
                yield f"{codec.one_line(path)}: it is gone; run `autograder grade`"
            continue
        try:
            log = results.read_log(folder)
            if not log.complete:
                raise UserError("grading had not finished; run `autograder grade`")
            yield _judge(folder, log, load(log.homework), course, bank(log.homework))
        except (UserError, OSError) as error:
            yield f"{codec.one_line(path)}: {error}"


def _judge(
    folder: Path, log: SubmissionLog, homework: Homework, course: Course, bank: Bank
) -> Regraded:
    before = {q: points for q, points in results.read_marks(folder).items() if points is not None}
    now = inputs.digests(homework, submission=log.submission, secret=course.secret)
    stale = tuple(q for q, digest in now.items() if log.inputs.get(q) != digest)
    # What counts only when another is right cannot be judged without it.
    stale += tuple(q.id for q in homework.questions if set(q.needs) & set(stale))
    grade = judge(homework, log, secret=course.secret)
    grade = diagnose(grade, homework, log, secret=course.secret, bank=bank)
    if failed := [mark for mark in grade.marks if mark.fault]:
        reason = failed[0].fault.splitlines()[0]
        raise UserError(f"the check of {failed[0].question} failed ({reason}); its marks stay")
    marks = tuple(_kept(m, before) if m.question in stale else m for m in grade.marks)
    grade = with_lateness(replace(grade, marks=marks), log, course)
    changes = tuple(
        Change(mark.question, before.get(mark.question, 0.0), mark.earned, mark.message)
        for mark in marks
        if not mark.by_hand
        and mark.earned is not None
        and abs(mark.earned - before.get(mark.question, 0.0)) > 1e-9
    )
    penalty = results.read_penalty(folder)
    if abs(grade.penalty - penalty) > 1e-9:
        why = grade.late or "Not late any more."
        changes += (Change(LATE, 0 - penalty, 0 - grade.penalty, why),)  # no points are 0, not -0
    return Regraded(folder, log, grade, changes, stale)


def _kept(mark: Mark, before: Mapping[str, float]) -> Mark:
    return replace(mark, earned=before.get(mark.question, 0.0), message=AGAIN, pictures=())


def write(item: Regraded, homework: Homework, course: Course) -> None:
    """Replace what follows from a hand-in's marks; the log stays as it is."""
    if not (item.folder / LOG_NAME).exists():  # results.json carried it, and will not any more
        results.write(item.folder / LOG_NAME, codec.encode_log(item.log), lasting=True)
    results.write_views(item.folder, item.grade, item.log, homework, course)
