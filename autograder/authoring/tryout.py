"""One answer, graded as a student's is, with its report: for authors who want to see a page."""

from pathlib import Path

from autograder.course import course, homework, known_answers
from autograder.grading import grader
from autograder.marking.judge import Judge
from autograder.marking.mark import mark
from autograder.model import Grade, Homework, Submission, UserError
from autograder.reports import executed
from autograder.sandbox import known_values
from autograder.sandbox.execute import execute
from autograder.sandbox.supervisor import Sandbox
from autograder.store import files, results
from autograder.submission import discover, reading

FOLDER = Path("build") / "tried"


def tried(root: Path, name: str, what: str) -> tuple[Grade, Path]:
    """Grade one answer; return its marks and the folder that has its report.

    Args:
        root: The course's folder.
        name: The homework's.
        what: "instructor", "unfilled", "wrong/NAME", "right/NAME", or a notebook.

    Raises:
        UserError: there is no such answer.
    """
    chosen = homework.load(root, name)
    settings = course.read(root)
    submission = _submission(root, chosen, what)
    folder = root / FOLDER / name / what.replace("/", "_").removesuffix(".ipynb")
    with Sandbox() as sandbox, known_values.bank(root, chosen) as bank:
        sandbox.expect(chosen, hidden=course.private(root))
        judging = Judge(chosen, secret=settings.secret)
        *_, state = execute(
            submission, chosen, sandbox=sandbox, secret=settings.secret, settled=judging.passed
        )
        grade = mark(chosen, state.log, settings, judge=judging, bank=bank)
    files.make_folder(folder)
    files.write(folder / files.EXECUTED, executed.notebook(state.steps()))
    grader.write(folder, grade, state.log, chosen, settings)
    results.write_log(folder, state.log)
    return grade, folder


def _submission(root: Path, chosen: Homework, what: str) -> Submission:
    if what == "instructor":
        return known_answers.instructor(root, chosen)
    if what == "unfilled":
        return known_answers.unfilled(chosen)
    kind, _, name = what.partition("/")
    path = root / "source" / chosen.name / "staff" / kind / f"{name.removesuffix('.py')}.py"
    if kind in ("wrong", "right"):
        if not path.is_file():
            there = ", ".join(sorted(one.stem for one in path.parent.glob("*.py"))) or "none"
            raise UserError(f"{what}: there is no such answer (staff/{kind} has: {there})")
        return known_answers.read(root, chosen, path).submission
    if not Path(what).is_file():
        raise UserError(
            f"{what}: give instructor, unfilled, wrong/NAME, right/NAME, or a notebook that is there"
        )
    found, complaints = discover.find([Path(what)], homework=chosen.name)
    if not found:
        raise UserError(complaints[0])
    return reading.read(found[0], chosen)
