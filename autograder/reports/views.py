"""Marks -> the pages of out/<student>/, which are written and never read back."""

from collections.abc import Mapping
from datetime import UTC, datetime

from autograder import codec
from autograder.course.course import Course
from autograder.model import Grade, Homework, SubmissionLog
from autograder.reports import report, results_json
from autograder.store import files


def views(
    grade: Grade, log: SubmissionLog, homework: Homework, course: Course
) -> Mapping[str, str]:
    """Return the page that a student reads, and Gradescope's, by the names of their files."""
    explain = course.explains(homework.name, datetime.now(UTC), log.receipt)
    page = report.html(
        grade,
        log,
        title=homework.title,
        course=f"{course.title}, {course.term}",
        explain=explain,
    )
    return {files.REPORT: page, files.RESULTS: results(grade, course, explain=explain)}


def results(grade: Grade, course: Course, *, explain: bool = False) -> str:
    """Return the text of results.json."""
    hidden = course.gradescope.hidden_questions
    return codec.indented(results_json.results(grade, explain=explain, hidden=hidden))
