"""Releases: nbgrader makes the same, one that would leak is not written, and each runs to its end."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.authoring.cli import release_command
from autograder.course.cells import cells_of
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.submission.reading import answers_digest

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]
NAME = "hw2_transformer"


@pytest.fixture
def copied(course: Path, tmp_path: Path) -> Path:
    """A copy of the course to change."""
    for part in ("source", "release", "solutions"):
        shutil.copytree(course / part, tmp_path / "course" / part)
    for name in ("course.toml", "nbgrader_config.py"):
        shutil.copy(course / name, tmp_path / "course")
    return (tmp_path / "course").resolve()


def test_a_release_that_would_leak_is_not_written(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer pasted into a hint: one line tells where, and the old release stays."""
    path = copied / "source" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += "\nTry `Qm = 20 * np.eye(3)` first."
    nbformat.write(notebook, path)
    before = (copied / "release" / NAME / f"{NAME}.ipynb").read_bytes()
    with pytest.raises(UserError, match="nothing was written"):
        release_command([NAME], course_folder=copied)
    said = capsys.readouterr().err
    assert "cell 'title'" in said
    assert "identity_answer" in said
    assert str(copied) not in said
    assert (copied / "release" / NAME / f"{NAME}.ipynb").read_bytes() == before


@pytest.mark.parametrize("name", [NAME, "hw4_position"])
def test_nbgrader_makes_the_same_release(copied: Path, name: str) -> None:
    """`nbgrader generate_assignment` on this course gives our release, cell by cell."""
    ours = nbformat.read(copied / "release" / name / f"{name}.ipynb", as_version=4)
    beside = (copied / "release" / name / "figures").iterdir()
    given = {path.name: path.read_bytes() for path in beside}
    # nbgrader calls alembic by name, so the environment's programs must be found.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", "--force", name],
        cwd=copied,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = copied / "release" / name
    assert {path.name for path in made.iterdir()} == {f"{name}.ipynb", "figures"}
    figures = {path.name: path.read_bytes() for path in (made / "figures").iterdir()}
    assert figures == given
    theirs = nbformat.read(made / f"{name}.ipynb", as_version=4)
    assert theirs.cells == ours.cells


@pytest.fixture(scope="module")
def executed(
    course: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[nbformat.NotebookNode, Path]:
    """The empty release, run from top to bottom in a real kernel, in a folder of its own."""
    folder = tmp_path_factory.mktemp("student")
    notebook = nbformat.read(course / "release" / NAME / f"{NAME}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook, folder


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # jupyter_client warns of its own defaults
def test_run_all_on_the_empty_release_reaches_the_last_cell(
    executed: tuple[nbformat.NotebookNode, Path],
) -> None:
    """No cell raises; each check tells that nothing is written yet; a log is written."""
    notebook, folder = executed
    printed = {
        cell.id: "".join(
            o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
    checks = {id: text for id, text in printed.items() if text.startswith("[")}
    assert len(checks) == 7
    for id, text in checks.items():
        assert text == f"[{id}] not written yet\n"
    assert "wrote submission_log.json" in printed["submission_log"]
    assert (folder / "submission_log.json").is_file()
    assert "-1.21" in printed["identity_training"]  # the recorded matrices are shown


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_log_cell_and_the_grader_agree_on_the_answers(
    executed: tuple[nbformat.NotebookNode, Path], hw2: Homework
) -> None:
    """answers_sha256, as a student's kernel computes it, is what the grader computes."""
    notebook, folder = executed
    written = json.loads((folder / "submission_log.json").read_text())
    assert written["answers_sha256"] == answers_digest(cells_of(notebook), hw2.cells)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_checks_raise_for_nbgrader(
    course: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nbgrader looks for errors, so under NBGRADER_EXECUTION a failing check raises."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    notebook = nbformat.read(course / "release" / NAME / f"{NAME}.ipynb", as_version=4)
    wanted = (
        "imports",
        "value_tool",
        "check_tool",
        "tokens_code",
        "numpy_transformer",
        "learned",
        "identity_answer",
        "identity",
    )
    notebook.cells = [cell for cell in notebook.cells if cell.id in wanted]
    client = NotebookClient(
        notebook, timeout=60, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    (error,) = (o for o in notebook.cells[-1].outputs if o.output_type == "error")
    assert error.ename == "AssertionError"
