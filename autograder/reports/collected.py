"""Collect the marks of a folder of results, whoever gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.people import People
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.marks import Grade, HandMarks, with_added
from autograder.reports import report, tables
from autograder.store import results


@dataclass(frozen=True)
class Collected:
    """The marks of a folder.

    Args:
        graded: Each submission's marks, whoever gives them, where they can be read.
        rows: The same as lines of a table, and what they still lack.
        given: What people gave, by submission.
        complaints: A line for each submission without a score.
        notes: What staff should know of marks that are open.
    """

    graded: Mapping[str, Grade]
    rows: Mapping[str, tables.Row]
    given: Mapping[str, HandMarks]
    complaints: Sequence[str]
    notes: Sequence[str]


def homework_of(folder: Path, have: Collected) -> str:
    """Return the homework that a folder has results of; UserError where nothing was graded."""
    for who in have.graded:
        if results.has_log(folder / who):
            return results.read_log(folder / who).homework
    raise UserError(f"{folder}: no submission in it could be graded, so there is no mark to export")


def collect(folder: Path, people: People, by_people: Mapping[str, HandMarks] | None) -> Collected:
    """Return the marks of a folder.

    Args:
        folder: What `grade --out` wrote.
        people: The roster.
        by_people: What people gave, by submission; None where there is no gradebook.
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
    for student, grade in graded.items():
        if grade.marks and not grade.complete:
            complaints.append(
                f"{folder / student}: grading had not finished, so it has no score; run `autograder "
                "grade`"
            )
    given = by_people or {}
    total, wait = 0, set()
    for student, grade in graded.items():
        one = given.get(student)
        points_of, again = (one.points, one.waiting) if one else ({}, ())
        graded[student] = grade = report.with_points(grade, points_of, again)
        row = rows[student] = tables.row(grade)
        open_marks = {question for question, earned in row.points.items() if earned is None}
        if open_marks and not one:
            wait.add(student)
        if count := len(open_marks if grade.lost else open_marks | set(again)):
            total += count
            rows[student] = replace(row, missing=(*row.missing, _waiting(count)))
    notes = []
    if by_people is not None and wait:
        notes.append(
            f"without marks by hand: {len(wait)} of {len(rows)} submissions, which are not "
            "in this gradebook or cannot be read; `autograder mark --fill` puts them there or prints "
            "why not"
        )
    if total:
        notes.append(f"{_waiting(total)} for a person")
    return Collected(graded, dict(sorted(rows.items())), given, complaints, notes)


def _waiting(count: int) -> str:
    return "1 mark still waits" if count == 1 else f"{count} marks still wait"


def fullest(graded: Mapping[str, Grade]) -> Grade | None:
    """Return the marks of somebody who has all questions; None where nobody's are complete."""
    complete = [grade for grade in graded.values() if grade.complete]
    return max(complete, key=lambda grade: len(grade.marks), default=None)
