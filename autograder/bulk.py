"""Many submissions: grade each, write what it gave, skip what is done."""

import contextlib
import json
import os
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder import codec, inputs
from autograder.course import Course
from autograder.facts import find, intake
from autograder.facts.execute import execute, versions
from autograder.facts.sandbox import Sandbox
from autograder.facts.variants import Bank
from autograder.marks.diagnose import diagnose
from autograder.marks.judge import judge
from autograder.model import Grade, HandIn, Homework, Misconception, SubmissionLog, UserError
from autograder.views import executed, gradescope, report

DIAGNOSIS = "diagnosis.json"
RESULTS = ("results.json", "report.html", "executed.ipynb", DIAGNOSIS)
NOT_FINISHED = "Grading has not finished; these are the marks so far."


@dataclass(frozen=True)
class Graded:
    """One submission's end: its grade, or why there is none.

    `failed` means that the grader itself failed; the traceback stands in failure.txt.
    """

    name: str
    folder: Path
    grade: Grade | None = None
    complaint: str = ""
    seconds: float = 0.0
    skipped: bool = False
    failed: bool = False


def grade(
    homework: Homework,
    found: Sequence[find.Found],
    *,
    course: Course,
    out: Path,
    sandbox: Sandbox,
    all_cells: bool = False,
    force: bool = False,
    bank: Bank | None = None,
) -> Iterator[Graded]:
    """Grade submissions one after another; yield each as it is done.

    Args:
        homework: What they answer.
        found: The submissions.
        course: Its secret draws the hidden inputs; its title and term stand on every report.
        out: Results go to out/<student>/; the folder is for staff only (mode 0700).
        sandbox: Where their code runs.
        all_cells: Run the cells that only illustrate, too.
        force: Grade again what is done.
        bank: The known mistakes, to name those that wrong answers fit.
    """
    make_folder(out)
    for item in found:
        folder = out / item.student
        try:
            hand_in = intake.read(item, homework)
        except UserError as error:
            _clear(folder)
            write(folder / "results.json", json.dumps(gradescope.refused(str(error)), indent=1))
            yield Graded(item.student, folder, complaint=f"{item.place}: {error}")
            continue
        if not force and (done := _done(folder, hand_in, homework, course.secret)):
            yield Graded(
                item.student, folder, judge(homework, done, secret=course.secret), skipped=True
            )
            continue
        _clear(folder)
        try:
            yield _grade_one(hand_in, homework, folder, sandbox, course, all_cells, bank)
        except Exception:
            # Our own bug: the marks earned so far stay, and the others go on.
            with contextlib.suppress(OSError):  # the disk may be full
                write(folder / "failure.txt", traceback.format_exc())
            complaint = f"{item.place}: the grader failed; {folder}/failure.txt says where"
            yield Graded(item.student, folder, complaint=complaint, failed=True)


def _grade_one(
    hand_in: HandIn,
    homework: Homework,
    folder: Path,
    sandbox: Sandbox,
    course: Course,
    all_cells: bool,
    bank: Bank | None,
) -> Graded:
    for state in execute(
        hand_in, homework, sandbox=sandbox, secret=course.secret, all_cells=all_cells
    ):
        log = state.log
        result = judge(homework, log, secret=course.secret)
        if not log.complete:
            write_marks(folder, result, (NOT_FINISHED, *report.remarks(result, log)))
            write(folder / find.LOG_NAME, codec.encode_log(log))
    if bank:
        result = diagnose(result, homework, log, secret=course.secret, bank=bank)
    write(folder / "executed.ipynb", executed.notebook(state.steps))
    write_views(folder, result, log, homework, course)
    # The complete log comes last: where it stands, everything else does.
    write(folder / find.LOG_NAME, codec.encode_log(log), lasting=True)
    return Graded(hand_in.submission.student, folder, result, seconds=log.seconds)


def write_marks(
    folder: Path, result: Grade, remarks: tuple[str, ...], *, explain: bool = False
) -> None:
    """Write results.json."""
    marks = gradescope.results(result, remarks=remarks, explain=explain)
    write(folder / "results.json", json.dumps(marks, indent=1))


def write_views(
    folder: Path, result: Grade, log: SubmissionLog, homework: Homework, course: Course
) -> None:
    """Write what follows from marks: report.html, results.json and, for staff, diagnosis.json."""
    explain = course.explains(homework.name, datetime.now(UTC))
    page = report.html(
        result,
        log,
        title=homework.title,
        course=f"{course.title}, {course.term}",
        explain=explain,
    )
    write(folder / "report.html", page)
    found = {m.question: asdict(m.misconception) for m in result.marks if m.misconception}
    write(folder / DIAGNOSIS, json.dumps(found, indent=1))
    write_marks(folder, result, report.remarks(result, log), explain=explain)


def read_diagnosis(folder: Path) -> dict[str, Misconception]:
    """Return the misconception of each question that has one; none where nothing is known."""
    try:
        found = json.loads((folder / DIAGNOSIS).read_text(encoding="utf-8"))
        return {question: Misconception(**words) for question, words in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{folder}/{DIAGNOSIS} cannot be read ({error})") from error


def read_marks(folder: Path) -> dict[str, float | None]:
    """Return the points by question that results.json gives; None where a person marks."""
    try:
        tests = json.loads((folder / "results.json").read_text(encoding="utf-8"))["tests"]
        return {
            test["extra_data"]["question"]: float(test["score"]) if "score" in test else None
            for test in tests
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{folder}/results.json cannot be read ({error})") from error


def make_folder(out: Path) -> None:
    """Make the folder of results, for staff only; UserError where that cannot be."""
    if not out.is_dir():
        try:
            out.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise UserError(f"{out} cannot be made ({error.strerror})") from error


def _clear(folder: Path) -> None:
    """Take away what an earlier run left, the log first: without it nothing counts as done."""
    folder.mkdir(exist_ok=True)
    for name in (find.LOG_NAME, *RESULTS, "failure.txt"):
        (folder / name).unlink(missing_ok=True)


def _done(folder: Path, hand_in: HandIn, homework: Homework, secret: str) -> SubmissionLog | None:
    """Return the finished log of this submission, homework, grader and secret, if there is one."""
    path = folder / find.LOG_NAME
    if not path.is_file():
        return None
    try:
        log = codec.decode_log(path.read_bytes())
    except UserError:
        return None
    same = (
        log.complete
        and log.submission == hand_in.submission
        and log.remarks == hand_in.remarks
        and dict(log.versions) == versions(homework)
        and dict(log.inputs) == inputs.digests(homework, submission=log.submission, secret=secret)
    )
    return log if same else None


def write(path: Path, text: str, *, lasting: bool = False) -> None:
    """Write a file whole or not at all; lasting: so that a power failure does not undo it."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        if lasting:
            file.flush()
            os.fsync(file.fileno())
    temporary.replace(path)
