"""Regrading: marks from logs, without running student code, and who gains or loses."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from autograder.course import inputs
from autograder.course.course import Course
from autograder.course.homework import HomeworkError
from autograder.grading import grader
from autograder.marking.judge import untrained
from autograder.marking.mark import late_words, mark, number, remarks
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import GOLF, Grade, Mark, added_titles, rounded
from autograder.reports.tables import LATE
from autograder.sandbox.mistake_bank import Bank
from autograder.store import embedded_log, files, mark_changes, results

AGAIN = "Not marked again: this is its earlier mark."
NEW = "Not marked yet: it has to run again."


@dataclass(frozen=True)
class Change:
    """A changed mark, and the message that explains it.

    `follows` marks a deduction for lateness that only changes because other marks do.
    """

    question: str
    before: float
    after: float
    why: str
    follows: bool = False

    @property
    def lowers(self) -> bool:
        """Whether a mark falls."""
        return self.after < self.before and not self.follows


@dataclass(frozen=True)
class Regraded:
    """One graded submission's new marks; old ones stay if they cannot be judged again.

    `stale` are questions that must be run again. `untried` were right at their check cells and are
    not any more: a later cell may have improved them, which only a run can tell. `outdated` means
    that something has changed since the run that can change what answers return.
    """

    folder: Path
    log: SubmissionLog
    grade: Grade
    changes: tuple[Change, ...]
    stale: tuple[str, ...]
    untried: tuple[str, ...] = ()
    outdated: bool = False

    @property
    def difference(self) -> float:
        """Return the points gained, or lost if below zero."""
        return sum(change.after - change.before for change in self.changes)


def regrade(
    out: Path,
    load: Callable[[str], Homework],
    course: Course,
    bank: Callable[[str], Bank],
    only: Collection[str] | None = None,
) -> Iterator[Regraded | str]:
    """Judge every log in a folder that `autograder grade` wrote, without writing anything.

    A results.json alone, as Gradescope returns it, contains its log. `load` and `bank` take a
    homework's name; `only` are the students whose logs are judged, None for all.

    Yields:
        Each submission's new marks, or one line on why it cannot be judged.

    """
    broken: set[str] = set()  # unreadable homeworks: one line is enough for each
    folders = sorted(out.glob("*/"))
    if not any(map(results.has_log, folders)):
        raise UserError(f"{out} has no results; give the folder that `autograder grade` wrote")
    for folder in folders:
        if only is not None and folder.name not in only:
            continue
        path = folder / files.LOG
        if not results.has_log(folder):
            if results.has_marks(folder):
                yield f"{codec.one_line(path)}: the file is missing; run `autograder grade`"
            continue
        try:
            log = results.read_log(folder)
            if not log.complete:
                raise UserError("grading did not finish; run `autograder grade`")
            if log.homework in broken:
                continue
            yield _judge(folder, log, load(log.homework), course, bank(log.homework))
        except HomeworkError as error:
            broken.add(log.homework)
            yield f"{error}; until this is fixed no submission of {log.homework} is judged again"
        except (UserError, OSError) as error:
            if isinstance(error, OSError) and error.errno in files.FULL:
                raise  # it would stop all others as well
            yield f"{codec.one_line(path)}: {error}"


def _before(folder: Path, now: Grade) -> tuple[Mapping[str, float], float, Collection[str]]:
    """Return the current points by question, the points that lateness takes, and what passed."""
    if (folder / files.GRADE).exists():
        grade = results.read_grade(folder)
        earned = {one.question: one.earned for one in grade.marks if one.earned is not None}
        return earned, grade.penalty, grader.passed(grade)
    points, penalty = embedded_log.points(folder)  # what a question was worth is not there
    passed = {one.question for one in now.marks if points.get(one.question, -1.0) >= one.points}
    return points, penalty, passed


def _judge(
    folder: Path, log: SubmissionLog, homework: Homework, course: Course, bank: Bank
) -> Regraded:
    now = inputs.digests(homework, submission=log.submission, secret=course.secret)
    stale: tuple[str, ...] = ()
    for q in homework.questions:  # one that depends on an earlier one cannot be judged without it
        if q.id in now and (log.inputs.get(q.id) != now[q.id] or set(q.needs) & set(stale)):
            stale += (q.id,)
    grade = mark(homework, log, course, bank=bank)
    if failed := [one for one in grade.marks if one.fault]:
        reason = failed[0].fault.splitlines()[0]
        raise UserError(f"the check of {failed[0].question} failed ({reason}); its marks stay")
    if missing := [id for id in untrained(grade, log, homework) if id not in stale]:
        names = ", ".join(missing)
        raise UserError(
            f"{names}: training was skipped before, but can earn points now; run `autograder grade`"
        )
    before, penalty, passed = _before(folder, grade)
    untried = tuple(id for id in grader.not_tried(passed, grade, log) if id not in stale)
    if stale:
        marks = tuple(_kept(m, before) if m.question in stale else m for m in grade.marks)
        grade = replace(grade, marks=marks)
        grade = replace(grade, remarks=remarks(grade, log))
    changes = tuple(
        Change(one.question, before.get(one.question, 0.0), one.earned, one.message)
        for one in grade.marks
        if not one.by_hand
        and one.earned is not None
        and abs(one.earned - before.get(one.question, 0.0)) > 1e-9
    )
    changes += _gone(before, grade)
    if abs(grade.penalty - penalty) > 1e-9:
        why = late_words(grade) or "No longer late."
        follows = rounded(grade.late_share * sum(before.values())) <= penalty
        # No points are 0, not -0.
        changes += (Change(LATE, 0 - penalty, 0 - grade.penalty, why, follows),)
    outdated = log.versions.get("homework", homework.facts_digest) != homework.facts_digest
    return Regraded(folder, log, grade, changes, stale, untried, outdated)


def _gone(before: Mapping[str, float], grade: Grade) -> tuple[Change, ...]:
    """Return the points of questions that the machine marked before, and marks no more."""
    by_hand = {one.question: one.by_hand for one in grade.marks}
    left = before.keys() - {GOLF} - added_titles()  # which results.json also has
    why = {None: "It is no longer a question.", True: "It is now marked by hand."}
    return tuple(
        Change(id, before[id], 0.0, why[by_hand.get(id)])
        for id in sorted(left)
        if by_hand.get(id) is not False and before[id]
    )


def _kept(mark: Mark, before: Mapping[str, float]) -> Mark:
    said = AGAIN if mark.question in before else NEW
    return replace(mark, earned=before.get(mark.question, 0.0), message=said, pictures=())


def write(
    item: Regraded, homework: Homework, course: Course, *, by: str, why: str = "regrade"
) -> None:
    """Rewrite everything that follows from the facts; changes.csv records who changed what, and why."""
    at = datetime.now(course.zone).isoformat(timespec="seconds")
    known = course.id_of(item.log.submission.student)
    mark_changes.append(
        item.folder.parent,
        (
            mark_changes.Change(
                at, by, known, one.question, number(one.before), number(one.after), why
            )
            for one in item.changes
        ),
    )
    if not (item.folder / files.LOG).exists():  # results.json contained the log, and no longer will
        results.write_log(item.folder, item.log)
    grader.write(item.folder, item.grade, item.log, homework, course)
