"""The command line: exit status, one line a complaint, and no traceback for what people do wrong."""

import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from autograder import codec
from autograder.cli import grading
from autograder.cli.progress import students
from autograder.grading.grader import Graded
from autograder.model import Grade, Homework, Mark, Submission, SubmissionLog
from autograder.store import files
from tests.command_line import run
from tests.helpers import EXAMPLES, ROOT


@pytest.mark.slow
def test_bad_files_cost_nobody_else_their_marks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One good hand-in among seven unusable ones: it is graded, each other gets a line, status 2."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "good.ipynb").write_bytes((EXAMPLES / "perfect.ipynb").read_bytes())
    (folder / "text.ipynb").write_text("hello")
    (folder / "other.ipynb").write_text('{"a": 1}')
    (folder / "empty.ipynb").write_text(
        '{"cells": [], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}'
    )
    with (folder / "huge.ipynb").open("wb") as file:
        file.truncate(100_000_000)
    script = tmp_path / "script.py"
    script.write_text("print(1)")
    log = tmp_path / "submission_log.json"
    log.write_text('{"attention_by_content": [NaN]}')
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    out = tmp_path / "out"
    status, shown, errors = run(
        capsys,
        "grade",
        "hw2_transformer",
        folder,
        script,
        log,
        nothing,
        "--out",
        out,
        "--course",
        ROOT,
    )
    assert status == 2
    assert "good: 52/60" in shown
    complaints = [line for line in errors.splitlines() if line.startswith("autograder: ")]
    assert len(complaints) == 7, errors
    names = [f"{name}.ipynb" for name in ("text", "other", "empty", "huge")]
    for name in (*names, "script.py", "submission_log.json", "nothing:"):
        assert sum(name in line for line in complaints) == 1, name
    assert "Traceback" not in errors


def test_without_a_course_the_complaint_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Outside a course: status 2, one line."""
    status, _, errors = run(capsys, "check", "--course", tmp_path)
    assert status == 2
    assert errors.count("\n") == 1


def test_an_unknown_homework_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A wrong name: status 2, and the names there are."""
    status, _, errors = run(capsys, "grade", "hw9", EXAMPLES, "--out", tmp_path, "--course", ROOT)
    assert status == 2
    assert "hw2_transformer" in errors


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--only", "nobody"), "--only nobody: no hand-in is called so"),
        (("--require", "luck"), "there is no layer 'luck'"),
        (("--insecure-cluster",), "says something only with --scheduler"),
        (("--scheduler", "tcp://127.0.0.1:9", "-j", 2), "-j counts graders on this machine"),
    ],
)
def test_options_that_say_nothing_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: tuple[object, ...], complaint: str
) -> None:
    """An option that could change nothing is a mistake: one line, status 2, nothing written."""
    words = ("grade", "hw2_transformer", EXAMPLES, "--out", tmp_path / "out", "--course", ROOT)
    status, said, errors = run(capsys, *words, *options)
    assert (status, said) == (2, "")
    lines = [line for line in errors.splitlines() if not line.startswith("note: the secret")]
    assert len(lines) == 1
    assert complaint in lines[0]
    assert not (tmp_path / "out").exists()


def test_a_second_run_into_a_folder_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one run writes there, another gets one line and status 2."""
    monkeypatch.setenv("AUTOGRADER_SECRET", "tests")
    words = ("grade", "hw2_transformer", EXAMPLES, "--out", tmp_path, "--course", ROOT)
    with files.claimed(tmp_path):
        status, said, errors = run(capsys, *words)
    assert (status, said) == (2, "")
    (line,) = errors.splitlines()
    assert line.startswith("autograder: another `autograder grade` is writing into ")


def test_another_homework_into_a_folder_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its results would be lost, one student after another."""
    monkeypatch.setenv("AUTOGRADER_SECRET", "tests")
    (tmp_path / "ada").mkdir()
    other = SubmissionLog("hw3_proofs", Submission("ada", "notebook", "0"))
    (tmp_path / "ada" / "submission_log.json").write_text(codec.encode_log(other))
    words = ("grade", "hw2_transformer", EXAMPLES, "--out", tmp_path, "--course", ROOT)
    status, said, errors = run(capsys, *words)
    assert (status, said) == (2, "")
    (line,) = errors.splitlines()
    assert "holds results of hw3_proofs; give another --out" in line


@pytest.mark.slow
def test_some_of_many(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--only takes patterns, --limit the first of those, --force what is done."""
    monkeypatch.setenv("AUTOGRADER_SECRET", "tests")
    words = ("grade", "hw2_transformer", EXAMPLES, "--out", tmp_path, "--course", ROOT)
    status, said, _ = run(capsys, *words, "--only", "un*", "--only", "perfect", "-j", 1)
    assert status == 0
    assert [line.split(":")[0] for line in said.splitlines()[:2]] == ["perfect", "unfilled"]
    assert said.splitlines()[2].startswith("2 of 2 done, 2 graded in ")
    status, said, _ = run(capsys, *words, "--only", "[pu]*", "--limit", 1)
    assert "already graded" in said
    assert "unfilled" not in said
    status, said, _ = run(capsys, *words, "--only", "unfilled", "--force", "--require", "session")
    assert status == 0
    assert "already graded" not in said


def test_unknown_verbs_are_usage_errors(capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong arguments are status 2 too."""
    assert run(capsys, "grad")[0] == 2
    assert run(capsys, "grade", "hw2_transformer")[0] == 2


def test_release_check_sees_that_all_is_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    """The committed release and solutions are those of the source."""
    status, _, errors = run(capsys, "release", "--check", "--course", ROOT)
    assert (status, errors) == (0, "")


def test_the_course_is_found_from_a_folder_below() -> None:
    """Verbs work from any folder of the course."""
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "release", "--check"],
        cwd=ROOT / "source" / "hw2_transformer",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_table_fits_a_terminal(hw2: Homework) -> None:
    """At 80 columns each hand-in is one line, with its name in full."""
    marks = tuple(Mark(q.id, q.points, q.points, "", extra=q.extra) for q in hw2.questions)
    grade = Grade(Submission("a_student_of_mine", "notebook", "0" * 64), marks)
    rows = [Graded(f"{letter}_student_of_mine", Path(), grade) for letter in "abc"]
    console = Console(width=80, file=StringIO())
    console.print(students(hw2.title, rows))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    for row in rows:
        (line,) = [line for line in lines if row.name in line]
        assert line.split()[1:] == ["8", "8", "4", "4", "12", "6", "12", "6", "4", "64"]


def test_a_signal_while_an_object_is_cleared_away_is_noted() -> None:
    """What is raised there is swallowed by Python; the run looks for it after each result."""

    class Cleared:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with grading._stopped_in_order() as came:
        cleared = Cleared()
        del cleared
        assert came == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
    assert came == [signal.SIGINT, signal.SIGTERM]
    assert signal.getsignal(signal.SIGINT) is before
