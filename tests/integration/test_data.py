"""Files in data/ beside a notebook are available to students, in grading and on Gradescope."""

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.authoring import release
from autograder.course import homework, known_answers
from autograder.course.course import Course
from autograder.course.homework import HomeworkError
from autograder.marking.judge import judge
from autograder.platforms.gradescope import pack
from autograder.records.homework import Homework
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import SECRET, TOY, earned, executed

pytestmark = pytest.mark.slow


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the toy course whose notebook reads a file, and answers with what it holds."""
    course = shutil.copytree(TOY, tmp_path / "course").resolve()
    data = course / "source" / "toy" / "data" / "deep"
    data.mkdir(parents=True)
    np.save(data / "zero.npy", np.zeros(1))
    path = course / "source" / "toy" / "toy.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["id"] == "count_answer":
            text = "".join(cell["source"])
            cell["source"] = text.replace("> 0", '> np.load("data/deep/zero.npy")[0]')
    path.write_text(json.dumps(notebook))
    release.write_release(course, "toy")
    return course


def test_a_cell_reads_its_data(course: Path, sandbox: Sandbox) -> None:
    """Each submission has its own copy, so the next does not see its changes."""
    chosen = homework.load(course, "toy")
    assert set(chosen.data) == {"data/deep/zero.npy"}
    solved = known_answers.instructor(course, chosen)
    vandal = replace(
        solved,
        cells=tuple(
            replace(cell, source=f"{cell.source}\nnp.save('data/deep/zero.npy', [9.0])")
            if cell.id == "count_answer"
            else cell
            for cell in solved.cells
        ),
    )
    for submission, points in ((solved, 2), (vandal, 0), (solved, 2)):
        log = executed(submission, chosen, sandbox=sandbox).log
        assert earned(judge(chosen, log, secret=SECRET))["count"] == points


def test_the_zip_has_the_data(course: Path, tmp_path: Path) -> None:
    """Different data change the facts."""
    chosen = homework.load(course, "toy")
    pack.pack(course, chosen, Course(title="T", term="S"), tmp_path / "hw.zip")
    assert "release/toy/data/deep/zero.npy" in zipfile.ZipFile(tmp_path / "hw.zip").namelist()
    np.save(course / "release" / "toy" / "data" / "deep" / "zero.npy", np.ones(1))
    assert homework.load(course, "toy").facts_digest != chosen.facts_digest


def test_too_much_data_is_one_line(course: Path, toy: Homework) -> None:
    """Every submission would receive it."""
    assert toy.data == {}
    with (course / "release" / "toy" / "data" / "huge").open("wb") as file:
        file.truncate(homework.MAX_DATA + 1)
    with pytest.raises(HomeworkError, match="release/toy/data has more than 20 MB"):
        homework.load(course, "toy")
