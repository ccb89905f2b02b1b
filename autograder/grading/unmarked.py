"""The results of a submission that was not fully graded, with the reason."""

from dataclasses import replace
from pathlib import Path

from autograder.course.course import Course
from autograder.grading.wire import Graded
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionId, SubmissionLog
from autograder.records.marks import Grade
from autograder.reports import report, results_json, student_files
from autograder.store import files, results
from autograder.submission import discover

FAILED = "the grader itself failed, which is not your fault; your instructors see where"
ENDED = (
    "Grading was interrupted several times; these are the marks so far. A person has to look at it."
)
REMOVED = "; the earlier marks were removed, too"
LOST = "grading was interrupted several times; a person has to look at it"


def unreadable(item: discover.Found, error: UserError | OSError, out: Path) -> Graded:
    """Write and return the outcome of a submission whose file is unreadable.

    After an error that may pass, earlier results stay.
    """
    reason, folder = str(error), out / item.student
    if isinstance(error, OSError):
        reason = f"it cannot be read ({error.strerror})"
        if error.errno in files.PASSING:
            stay = "its earlier results stay, and " * results.has_marks(folder)
            text = f"{item.place}: {reason}; {stay}the next run or look tries again"
            return Graded(item.student, folder, complaint=text, later=True)
    gone = REMOVED * results.has_marks(folder)
    # File names may contain a person's name: staff see them, but no page shows them.
    refuse(folder, item.unusable.said if item.unusable else reason)
    return Graded(item.student, folder, complaint=f"{item.place}: {reason}{gone}")


def given_up(item: discover.Found, why: str, out: Path, course: Course, *, sha256: str) -> Graded:
    """Return the outcome of a submission that was lost every time; it keeps its marks so far."""
    folder = out / item.student
    # If only stored facts were being judged again, they and their marks stay.
    if not results.holds(folder, sha256) and not _said_first(folder, ENDED, course, sha256=sha256):
        refuse(folder, LOST)
    return Graded(item.student, folder, complaint=f"{item.place}: {why}", failed=True)


def _said_first(folder: Path, sentence: str, course: Course, *, sha256: str) -> bool:
    """Put a sentence above the marks so far; return False if there are none."""
    grade = results.found_grade(folder)
    # Those of an earlier submission stay until a grader starts on this one.
    if grade is None or not grade.marks or grade.submission.sha256 != sha256:
        return False
    grade = replace(grade, remarks=(sentence,))
    results.write_grade(folder, grade)
    files.write(folder / files.RESULTS, student_files.results(grade, course))
    return True


def refuse(folder: Path, reason: str) -> None:
    """Write the results of a submission that cannot be read."""
    files.clear(folder)
    nobody = SubmissionId(folder.name, "notebook", "")
    grade = Grade(nobody, (), remarks=(results_json.not_graded(reason),), complete=False)
    results.write_grade(folder, grade)
    files.write(folder / files.RESULTS, codec.indented(results_json.refused(reason)))
    page = report.html(
        grade, SubmissionLog("", nobody), title="Your submission", course="", explain=False
    )
    files.write(folder / files.REPORT, page)
