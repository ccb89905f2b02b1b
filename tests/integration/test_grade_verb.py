"""`autograder grade`: what cannot be used costs nobody else, and what is chosen is graded."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import run
from tests.exports import metadata, packed, submission
from tests.helpers import TOY, write_class

pytestmark = pytest.mark.slow


def test_bad_files_cost_nobody_else_their_marks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One good submission among seven unusable ones: it is graded, each other gets a line, status 2."""
    folder = tmp_path / "in"
    folder.mkdir()
    perfect = write_class(tmp_path / "class") / "perfect.ipynb"
    (folder / "good.ipynb").write_bytes(perfect.read_bytes())
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
    words = ("grade", "toy", folder, script, log, nothing, "--out", tmp_path / "out")
    status, shown, errors = run(capsys, *words, "--course", TOY)
    assert status == 2
    assert "good: 5/7" in shown
    complaints = [line for line in errors.splitlines() if line.startswith("autograder: ")]
    assert len(complaints) == 7, errors
    names = [f"{name}.ipynb" for name in ("text", "other", "empty", "huge")]
    for name in (*names, "script.py", "submission_log.json", "nothing:"):
        assert sum(name in line for line in complaints) == 1, name
    assert "Traceback" not in errors


def test_a_homework_that_was_never_released_is_released(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """`grade` writes the release that is missing, says so, and grades; it is that of `release`."""
    course = shutil.copytree(TOY, tmp_path / "course")
    shutil.rmtree(course / "release" / "toy")
    perfect = write_class(tmp_path / "class") / "perfect.ipynb"
    words = ("grade", "toy", perfect, "--out", tmp_path / "out", "--course", course, "-j", 1)
    status, said, errors = run(capsys, *words)
    assert status == 0, errors
    assert "perfect: 5/7" in said
    assert "note: wrote release/toy, which was missing" in errors
    for path in (TOY / "release" / "toy").rglob("*.*"):
        assert (course / path.relative_to(TOY)).read_bytes() == path.read_bytes(), path
    status, said, errors = run(capsys, *words)
    assert (status, "already graded" in said) == (0, True)
    assert "wrote release" not in errors


def test_some_of_many(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """--only takes patterns, --limit the first of those, --force what is done."""
    submissions = write_class(tmp_path / "class")
    words = ("grade", "toy", submissions, "--out", tmp_path / "out", "--course", TOY)
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


def test_an_export_is_graded_as_it_is(tmp_path: Path) -> None:
    """The verb itself: a folder for each person of a group, and no name or address in any file of it."""
    notebook = (TOY / "release" / "toy" / "toy.ipynb").read_bytes()
    people = (("b002", "ben@example.org"), ("", "chi@example.org"))
    files = {
        "submission_metadata.yml": metadata(
            submission_1=submission(("b002", "ben@example.org")),
            submission_2=submission(*people, created="2026-03-05 00:00:00 Z"),
            submission_3=submission(("d004", "dan@example.org")),
        ),
        **{f"submission_{n}/Ben's own.ipynb": notebook for n in (1, 2)},
        "submission_3/hw.docx": b"",
    }
    export, out = packed(tmp_path / "assignment_7_export.zip", files), tmp_path / "out"
    command = [sys.executable, "-m", "autograder", "grade", "toy", export, "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TOY)
    assert done.returncode == 2
    lines = {line.split(": ")[0] for line in done.stdout.splitlines()}
    assert {"b002", "submission_2"} <= lines
    assert "note: b002: older than the one that counts: submission_1" in done.stderr
    assert "/submission_3 (d004): no notebook in it, only hw.docx" in done.stderr
    assert "Traceback" not in done.stderr
    folders = sorted(path.name for path in out.glob("[!.]*") if path.is_dir())
    assert folders == ["b002", "d004", "submission_2"]
    for page in ("results.json", "report.html"):
        assert (
            "it contains no notebook; submit one .ipynb file" in (out / "d004" / page).read_text()
        )
    written = [path.read_bytes() for path in out.rglob("*") if path.is_file()]
    assert len(written) >= 8
    for secret in (b"Person", b"example.org", b"Ben", b"docx", str(tmp_path).encode()):
        assert not [data for data in written if secret in data]
