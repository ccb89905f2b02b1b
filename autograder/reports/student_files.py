"""Marks -> report.html and results.json in out/<student>/."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.course.course import Course
from autograder.marking.mark import remarks
from autograder.records import codec
from autograder.records.facts import SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks
from autograder.reports import report, results_json
from autograder.store import executed, files
from autograder.store import results as stored


def views(
    grade: Grade,
    log: SubmissionLog,
    homework: Homework,
    course: Course,
    sources: Sequence[str],
    given: HandMarks | None = None,
) -> Mapping[str, str]:
    """Return the student's page and Gradescope's results, by file name.

    The sources are those of the student's code cells. `given` has people's comments, and the
    answers that they marked, if those are code; the grade has their points.
    """
    explain = course.explains(homework.name, datetime.now(UTC), log.receipt)
    return {
        files.REPORT: page(grade, log, homework, course, sources, given),
        files.RESULTS: results(grade, course, explain=explain),
    }


def current(
    folder: Path, grade: Grade, given: HandMarks | None, homework: Homework, course: Course
) -> Mapping[str, str]:
    """Return the files of `views` with the marks of today, which may be newer than the files.

    The grade has marks from the machine and people, as `collected` returns them.

    Raises:
        UserError: its facts are unreadable.
    """
    log = stored.read_log(folder)
    grade = replace(grade, remarks=remarks(grade, log))
    return views(grade, log, homework, course, executed.own_sources(folder), given)


def page(
    grade: Grade,
    log: SubmissionLog,
    homework: Homework,
    course: Course,
    sources: Sequence[str],
    given: HandMarks | None = None,
) -> str:
    """Return the text of report.html; the arguments are those of `views`."""
    return report.html(
        grade,
        log,
        title=homework.title,
        course=f"{course.title}, {course.term}",
        explain=course.explains(homework.name, datetime.now(UTC), log.receipt),
        code=report.own_code(homework, sources),
        given=given,
    )


def results(grade: Grade, course: Course, *, explain: bool = False) -> str:
    """Return the text of results.json."""
    hidden = course.gradescope.hidden_questions
    return codec.indented(results_json.results(grade, explain=explain, hidden=hidden))
