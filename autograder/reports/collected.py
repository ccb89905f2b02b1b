"""The marks of a folder of results, collected from the machine and from people."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.people import People
from autograder.marking.mark import counted
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.marks import Grade, HandMarks, with_added
from autograder.reports import report, tables
from autograder.store import results


@dataclass(frozen=True)
class Collected:
    """The marks of a folder, by submission.

    `graded` has the marks of each readable submission, from the machine and from people. `rows` has
    them as table rows, and says what is still missing. `given` has people's marks alone.
    `complaints` names each submission without a score; `notes` tell staff about open marks.
    """

    graded: Mapping[str, Grade]
    rows: Mapping[str, tables.Row]
    given: Mapping[str, HandMarks]
    complaints: Sequence[str]
    notes: Sequence[str]


def homework_of(folder: Path, have: Collected) -> str:
    """Return the homework whose results a folder has; raise UserError if nothing was graded."""
    for who in have.graded:
        with contextlib.suppress(UserError, OSError):
            return results.read_log(folder / who).homework
    raise UserError(
        f"{folder}: no submission in it could be graded, so there are no marks to export"
    )


def collect(folder: Path, people: People, by_people: Mapping[str, HandMarks] | None) -> Collected:
    """Return the marks of a folder that `grade --out` wrote.

    `by_people` maps a submission to people's marks; it is None without a gradebook.
    """
    graded: dict[str, Grade] = {}
    rows: dict[str, tables.Row] = {}
    folders, complaints = people.one_each(results.folders(folder))
    for path in folders:
        try:
            graded[path.name] = with_added(results.read_grade(path), path)
        except UserError as error:
            complaints.append(f"{path}: {error}")
            rows[path.name] = tables.Row({}, (one_line(error),))
    given = by_people or {}
    total = wait = 0
    for student, before in graded.items():
        if before.marks and not before.complete:
            complaints.append(
                f"{folder / student}: grading did not finish, so it has no score; run "
                "`autograder grade`"
            )
        mine = given.get(student)
        graded[student], rows[student], count = _counted(before, mine)
        if not mine and None in rows[student].points.values():
            wait += 1
        total += count
    notes = []
    if by_people is not None and wait:
        notes.append(
            f"without marks given by hand: {wait} of {len(rows)} submissions, which "
            "are missing from this gradebook or unreadable; `autograder mark --fill` "
            "adds them or prints why it cannot"
        )
    if total:
        notes.append(_waiting(total))
    return Collected(graded, dict(sorted(rows.items())), given, complaints, notes)


def one(
    path: Path, given: HandMarks | None, machine: Grade | None = None
) -> tuple[Grade, tables.Row]:
    """Return one submission's marks from the machine and people, and its row of the table.

    Without `machine`, the machine's marks are those in its folder.

    Raises:
        UserError: it has no readable marks.

    """
    grade, row, _ = _counted(with_added(machine or results.read_grade(path), path), given)
    return grade, row


def _counted(grade: Grade, given: HandMarks | None) -> tuple[Grade, tables.Row, int]:
    """Return the marks with people's added, the table's row, and the number of open marks."""
    points_of, again = (given.points, given.waiting) if given else ({}, ())
    grade = report.with_points(grade, points_of, again)
    row = tables.row(grade)
    open_marks = {question for question, earned in row.points.items() if earned is None}
    count = len(open_marks if grade.lost else open_marks | set(again))
    if count:
        row = replace(row, missing=(*row.missing, _waiting(count)))
    return grade, row, count


def _waiting(count: int) -> str:
    return f"{counted(count, 'answer')} {'is' if count == 1 else 'are'} not marked yet"


def fullest(graded: Mapping[str, Grade]) -> Grade | None:
    """Return a complete grade with the most questions, or None if no grade is complete."""
    complete = [grade for grade in graded.values() if grade.complete]
    return max(complete, key=lambda grade: len(grade.marks), default=None)
