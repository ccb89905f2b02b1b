"""Folders of results as a test writes them, with the marks that it wants, and their people."""

from collections.abc import Mapping
from pathlib import Path

from autograder.course import homework
from autograder.records.facts import Receipt, SubmissionId, SubmissionLog
from autograder.records.marks import Grade, Mark
from autograder.reports.tables import row
from autograder.staff.class_page import mistakes
from autograder.staff.class_page.people import Person
from autograder.store import files, log_summary, results


def put(
    folder: Path,
    student: str,
    marks: Mapping[str, float | None],
    *,
    homework: str = "toy",
    worth: float = 10.0,
    extra: tuple[str, ...] = (),
    late: str = "",
    late_share: float = 0.0,
    receipt: Receipt | None = None,
) -> None:
    """Write what grading one submission leaves: its log, its marks and a page.

    Args:
        folder: The folder of results.
        student: The id of the submission.
        marks: Question -> points; None where a person has still to mark.
        homework: Its name.
        worth: The points of each question.
        extra: The questions that are extra credit.
        late: A sentence on lateness.
        late_share: The share of points that lateness takes.
        receipt: When a platform took it.
    """
    submission = SubmissionId(student, "notebook", "0" * 64)
    mine = folder / student
    mine.mkdir(parents=True)
    results.write_log(mine, SubmissionLog(homework, submission, complete=True, receipt=receipt))
    lines = tuple(
        Mark(question, worth, earned, "said", by_hand=earned is None, extra=question in extra)
        for question, earned in marks.items()
    )
    results.write_grade(mine, Grade(submission, lines, late=late, late_share=late_share))
    files.write(mine / files.REPORT, f"<html>{student}</html>")


def people(folder: Path) -> list[Person]:
    """Return everybody in a folder of results, as a class page has them."""
    grades = {path: results.read_grade(path) for path in results.folders(folder)}
    return [
        Person(path.name, row(grade).points, grade, log_summary.read(path))
        for path, grade in grades.items()
    ]


def waiting(course: Path, folder: Path) -> list[mistakes.Group]:
    """Return the groups of the toy's wrong answers that have no name yet, largest first."""
    found = mistakes.unknown(people(folder), homework.load(course, "toy"))
    return [group for group in found if group.same_values]
