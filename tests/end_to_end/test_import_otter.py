"""`autograder import` of a master otter notebook: the marks that otter gives, question by question."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.helpers import ROOT
from tests.otter_master import CLASS, filled, master

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, long=True)]


def run(*words: object, place: Path) -> str:
    """Run a verb; return what it printed."""
    command = [sys.executable, "-m", "autograder", *map(str, words)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course that imported the master notebook."""
    folder = tmp_path_factory.mktemp("otter") / "course"
    run("new", "course", folder, place=folder.parent)
    nbformat.write(master(), folder.parent / "counting.ipynb")
    said = run("import", folder.parent / "counting.ipynb", "--name", "counting", place=folder)
    assert "was not written" not in said
    return folder


def test_it_is_sound_and_shows_no_hidden_test(course: Path) -> None:
    """Each clause of the contract that can hold does; what otter hides or ignores is not released."""
    said = run("check", "counting", place=course)
    assert " | NO | " not in said
    assert said.count("10 asserted") == 10
    assert said.count("10 rubrics parse") == 2
    released = (course / "release" / "counting" / "counting.ipynb").read_text()
    cells = [cell.source for cell in nbformat.reads(released, as_version=4).cells]
    assert "# total = ...\n# half = ...\n# YOUR CODE HERE\nraise NotImplementedError()" in cells
    assert "assert total == 55" in cells
    assert "base = 2" in cells
    for word in ("27.5", "double(-3)", "sum(range", "31337", "of the author", "# BEGIN"):
        assert word not in released, word


def test_marks_are_otter_s(course: Path) -> None:
    """Those that otter gave the class, and that tests/otter_marks.json has."""
    inbox, out = course / "collected", course / "graded"
    inbox.mkdir()
    released = nbformat.read(course / "release/counting/counting.ipynb", as_version=4)
    for student, answers in CLASS.items():
        nbformat.write(filled(released, answers), inbox / f"{student}.ipynb")
    run("grade", "counting", inbox, "--out", out, "-j", "1", place=course)
    theirs = json.loads((ROOT / "tests" / "otter_marks.json").read_text(encoding="utf-8"))
    assert set(theirs) == set(CLASS)
    for student in CLASS:
        marks = json.loads((out / student / "grade.json").read_text())["marks"]
        ours: dict[str, float] = {}
        for mark in marks:
            question = (
                mark["question"].rsplit("_", 1)[0] if "_" in mark["question"] else mark["question"]
            )
            if mark["earned"] is not None and question not in ("q5", "q6"):
                ours[question] = ours.get(question, 0.0) + mark["earned"]
        assert ours == {id.replace(" ", "_"): points for id, points in theirs[student].items()}
    assert {sum(points.values()) for points in theirs.values()} == {9.5, 4.0, 5.0, 0.0}
