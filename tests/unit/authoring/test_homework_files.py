"""Imports that students or Gradescope would lack, and points that students were not told."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.authoring.contract import files
from autograder.cli.shared import note_points
from autograder.course import course as courses
from autograder.course import homework
from autograder.kit import Asserted, Close, Raises
from autograder.platforms.gradescope import pack
from autograder.records.errors import UserError
from autograder.records.homework import Cell, Homework
from autograder.records.questions import Question


def imports(course: Path, line: str) -> None:
    """Let the source notebook import something."""
    path = course / "source" / "toy" / "toy.ipynb"
    text = path.read_text()
    assert '"import numpy as np' in text
    path.write_text(
        text.replace('"import numpy as np', f'"{line}\\n",\n    "import numpy as np', 1)
    )


@pytest.mark.parametrize(
    "line", ["import pandas as pd", "from pandas.testing import assert_frame_equal"]
)
def test_a_package_that_course_toml_lacks_is_told(mine: Path, line: str) -> None:
    """`check` reports it, before a zip for Gradescope could lack it."""
    assert list(files.unavailable(mine, "toy", ())) == []
    imports(mine, line)
    (said,) = files.unavailable(mine, "toy", ())
    assert "imports pandas: name it in `packages` of course.toml" in said
    assert list(files.unavailable(mine, "toy", ("pandas",))) == []
    with pytest.raises(UserError, match=r"toy imports pandas, which course\.toml does not list"):
        pack.pack(mine, homework.load(mine, "toy"), courses.read(mine), mine / "toy.zip")


def test_a_package_of_staff_is_told(mine: Path) -> None:
    """Gradescope also runs the reference."""
    reference = mine / "source" / "toy" / "staff" / "reference.py"
    reference.write_text(f"import pandas\n{reference.read_text()}")
    (said,) = files.unavailable(mine, "toy", ())
    assert "staff/ imports pandas" in said


def test_a_module_beside_the_notebook_is_no_package(mine: Path) -> None:
    """Students do not get it, and a package of its name would belong to a stranger."""
    imports(mine, "from helpers import load")
    (mine / "source" / "toy" / "helpers.py").write_text("def load():\n    return 1\n")
    (said,) = files.unavailable(mine, "toy", ())
    assert said.startswith(
        "source/toy/toy.ipynb imports helpers, and helpers.py beside it does not go to"
    )
    assert "packages" not in said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"mean": 2.0, "why": 1.0}, ""),
        ({"mean": 4.0, "why": 1.0}, "mean (2, but students were told 4 points)"),
        ({"why": 1.0}, "mean (2, but students were told 0 points)"),
        ({}, ""),  # nothing was released
    ],
)
def test_points_that_students_were_not_told_are_noted(
    capsys: pytest.CaptureFixture[str], told: dict[str, float], said: str
) -> None:
    """This covers changed points and new questions."""
    questions = (Question("mean", points=2.0), Question("why", points=1.0))
    cells = tuple(Cell(id, "code", "", id, "check", points) for id, points in told.items())
    note_points(replace(Homework("A", questions, name="hw"), cells=cells))
    printed = capsys.readouterr().err
    assert (said in printed) if said else not printed
    assert not said or "`autograder release hw` updates the release" in printed


def test_a_visible_check_that_rejects_the_solution_is_told(tmp_path: Path) -> None:
    """The line quotes its message from the executed solutions."""
    marks = {"grade": True, "solution": False, "points": 2}
    cells = []
    for id, printed in (
        ("mean", "[mean] passed"),
        ("sum", "[sum] for n = 3: it is off by up to 1"),
    ):
        cell = nbformat.v4.new_code_cell(
            "check()", outputs=[nbformat.v4.new_output("stream", text=f"first\n{printed}\n")]
        )
        cell.metadata["nbgrader"] = {**marks, "grade_id": id}
        cells.append(cell)
    path = tmp_path / "hw.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    (clause,) = files.rejected_solutions(path)
    assert (clause.case, clause.holds) == ("sum", False)
    said = "your visible check rejects your own solution: for n = 3: it is off by up to 1"
    assert clause.detail == said


def test_a_text_that_was_never_released_is_called_that(mine: Path) -> None:
    """Its notebook does not exist yet."""
    folder = mine / "source" / "toy"
    (folder / "toy.ipynb").rename(folder / "toy.py")
    with pytest.raises(UserError, match=r"source/toy/toy\.py has not been released; run"):
        homework.load(mine, "toy")


HIDDEN = (
    "assert mean([1]) == 1\n### BEGIN HIDDEN TESTS\nassert mean([2]) == 2\n### END HIDDEN TESTS"
)


@pytest.mark.parametrize(
    ("source", "check", "named"),
    [
        (HIDDEN, Close(dict, 1e-6), True),
        (HIDDEN, Raises(dict), True),
        (HIDDEN, Asserted(), False),
        ("assert mean([1]) == 1", Close(dict, 1e-6), False),
    ],
)
def test_hidden_tests_beside_a_check_of_the_kit(source: str, check: Any, named: bool) -> None:
    """They are removed from the release, and never run."""
    chosen = Homework("Mini", (Question("mean", check=check),))
    cells = [Cell("c", "code", source, "mean", "check", 2.0)]
    found = list(files.tests_that_never_run(chosen, cells))
    assert len(found) == named
    assert all(one.startswith("the hidden tests of mean never run, since `") for one in found)
