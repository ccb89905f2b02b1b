"""One answer, graded like a student's, with its report: for authors who want to see the page."""

from pathlib import Path

from autograder.course import course, known_answers
from autograder.grading.grader import Grader, Task
from autograder.grading.wire import Graded
from autograder.records.errors import UserError
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from autograder.store import files
from autograder.submission import discover, reading

FOLDER = Path("build") / "tried"


def grade(root: Path, name: str, what: str) -> Graded:
    """Grade one answer; its folder then contains the report."""
    folder = root / FOLDER / name / what.replace("/", "_").removesuffix(".ipynb")
    files.make_folder(folder)
    task = Task(root, name, course.read(root), folder.parent)
    with Grader.open(task) as grader:
        return grader.grade_submission(_submission(root, grader.homework, what), folder)


def _submission(root: Path, chosen: Homework, what: str) -> Submission:
    if what == "instructor":
        return known_answers.instructor(root, chosen)
    if what == "unfilled":
        return known_answers.unfilled(chosen)
    kind, _, name = what.partition("/")
    if kind in ("wrong", "right"):
        read = known_answers.wrong if kind == "wrong" else known_answers.right
        known = {answer.name: answer.submission for answer in read(root, chosen)}
        if name.removesuffix(".py") not in known:
            there = ", ".join(known) or "none"
            raise UserError(f"{what}: there is no such answer (staff/{kind} has: {there})")
        return known[name.removesuffix(".py")]
    if not Path(what).is_file():
        raise UserError(
            f"{what}: give instructor, unfilled, wrong/NAME, right/NAME, or an existing notebook"
        )
    found, complaints = discover.find([Path(what)], homework=chosen.name)
    if not found:
        raise UserError(complaints[0])
    return reading.read(found[0], chosen)
