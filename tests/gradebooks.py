"""What the tests of hand marking share: a course of their own, and submissions graded into it.

Nothing runs here: every coding question of such a submission earns nothing.
"""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner

from autograder.cli.main import app
from autograder.course.course import SECRET_VARIABLE
from autograder.grading import grader
from autograder.marking.mark import mark
from autograder.program.build import build
from autograder.records.facts import Submission, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.reports import executed
from autograder.store import files, results
from tests.helpers import COURSE, ROOT

BIN = Path(sys.executable).parent
ACTIVATED = {"PATH": f"{BIN}:{os.environ['PATH']}"}
NAME = "hw2_transformer"


def make_course(folder: Path, *, like: Path = ROOT) -> Path:
    """Copy what hand marking needs of a course; it has no gradebook yet."""
    for name in ("source", "release"):
        shutil.copytree(like / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(like / "course.toml", folder)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return folder


def put(graded: Path, student: str, submission: Submission, homework: Homework) -> Path:
    """Write the results of grading a submission as if no cell could run."""
    submission = replace(submission, id=replace(submission.id, student=student))
    program = build(submission, homework)
    log = SubmissionLog(
        homework.name,
        submission.id,
        written=program.written,
        candidates=program.candidates,
        repairs=program.repairs,
        unrelated=program.unrelated,
        complete=True,
    )
    folder = graded / student
    folder.mkdir(parents=True, exist_ok=True)
    grader.write(folder, mark(homework, log, COURSE), log, homework, COURSE)
    files.write(folder / files.EXECUTED, executed.notebook(program.steps))
    results.write_log(folder, log)
    return folder


def from_log(cells: Submission) -> Submission:
    """Return a submission as it is when it was made from a log."""
    return replace(cells, id=SubmissionId("someone", "log", "0" * 64))


def run(course: Path, *words: object) -> tuple[int, str]:
    """Run a verb in a course; return its status and all that it said."""
    done = CliRunner().invoke(app, [*map(str, words), "--course", str(course)])
    if done.exception and not isinstance(done.exception, SystemExit):
        return 2, f"{type(done.exception).__name__}: {done.exception}"
    return done.exit_code, done.output


def call(course: Path, *words: str, fails: bool = False) -> str:
    """Run one of nbgrader's commands in a course, as a teacher does."""
    done = subprocess.run(
        [str(BIN / "nbgrader"), *words],
        cwd=course,
        env={**os.environ, **ACTIVATED, SECRET_VARIABLE: ""},  # the course makes one of its own
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr


@contextlib.contextmanager
def gradebook(course: Path) -> Iterator[sqlite3.Connection]:
    """Open a course's gradebook for statements in SQL, and commit what they change."""
    with contextlib.closing(sqlite3.connect(course / "gradebook.db")) as database, database:
        yield database


def grades(course: Path, student: str) -> dict[str, Sequence[object]]:
    """Return question -> auto, manual, extra and whether a person is needed."""
    columns = "base_cell.name, auto_score, manual_score, extra_credit, needs_manual_grade"
    with gradebook(course) as database:
        query = f"select {columns} {_of('grade')} where student_id = ?"
        rows = database.execute(query, (student,)).fetchall()
    return {row[0]: (*row[1:4], bool(row[4])) for row in rows}


def give(course: Path, student: str, question: str, points: float, comment: str = "") -> None:
    """Give points and a comment as formgrader does, where there is one homework."""
    give_all(course, "", question, {student: (points, comment)})


def give_all(
    course: Path, homework: str, question: str, marks: Mapping[str, tuple[float, str]]
) -> None:
    """Give each student points and a comment as formgrader does, for one homework of several."""
    mine = (
        "where id in (select one.id {} where student_id = :student and base_cell.name = :question "
    )
    mine += "and :homework in ('', assignment.name))"
    with gradebook(course) as database:
        for student, (points, comment) in marks.items():
            values = {"student": student, "question": question, "homework": homework}
            database.execute(
                f"update grade set manual_score = :points, needs_manual_grade = 0 "
                f"{mine.format(_of('grade'))}",
                {**values, "points": points},
            )
            database.execute(
                f"update comment set manual_comment = :comment {mine.format(_of('comment'))}",
                {**values, "comment": comment},
            )


def waiting(course: Path, homework: str, question: str) -> set[str]:
    """Return the students whose answers to a question are still to be marked by hand."""
    mine = "assignment.name = ? and base_cell.name = ? and needs_manual_grade = 1"
    with gradebook(course) as database:
        query = f"select student_id {_of('grade')} where {mine}"
        return {student for (student,) in database.execute(query, (homework, question))}


def comment(course: Path, student: str, question: str) -> tuple[str | None, str | None]:
    """Return the machine's comment and a person's."""
    with gradebook(course) as database:
        (row,) = database.execute(
            f"select auto_comment, manual_comment {_of('comment')} "
            "where student_id = ? and base_cell.name = ?",
            (student, question),
        ).fetchall()
    return row


def _of(table: str) -> str:
    """Return the part of a query that joins a table's rows to their cells and submissions."""
    return f"""
        from {table} as one join base_cell on base_cell.id = one.cell_id
        join submitted_notebook on submitted_notebook.id = one.notebook_id
        join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
        join assignment on assignment.id = submitted_assignment.assignment_id
    """
