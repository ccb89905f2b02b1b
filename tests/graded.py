"""Folders of results as a test writes them, with the marks that it wants: nothing runs."""

from collections.abc import Mapping
from pathlib import Path

from autograder.records.facts import Receipt, SubmissionId, SubmissionLog
from autograder.records.marks import Grade, Mark
from autograder.store import files, results


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
