"""The instructor's submission is the release with its answers filled in."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import homework, known_answers
from autograder.course.homework import HomeworkError
from tests.helpers import TOY


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return the toy course; its source has an extra line in a test, and a cell for staff."""
    for folder in ("source", "release"):
        shutil.copytree(TOY / folder, tmp_path / folder)
    path = tmp_path / "source" / "toy" / "toy.ipynb"
    nodes = json.loads(path.read_text())
    for cell in nodes["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade") and cell["cell_type"] == "code":
            cell["source"] = ["hidden = 1\n", *cell["source"]]
    more = {"cell_type": "code", "id": "more", "metadata": {}, "source": "helper = 1"}
    nodes["cells"].insert(0, {**more, "outputs": [], "execution_count": None})
    path.write_text(json.dumps(nodes))
    return tmp_path


def test_the_instructor_has_what_a_student_has(course: Path) -> None:
    """No known answer contains anything of the source except its answers."""
    toy = homework.load(course, "toy")
    known = [*known_answers.wrong(course, toy), *known_answers.right(course, toy)]
    instructor = known_answers.instructor(course, toy)
    assert len(known) > 2
    for submission in (instructor, *(one.submission for one in known)):
        assert [cell.id for cell in submission.cells] == [cell.id for cell in toy.cells]
        given = [cell for cell in toy.cells if cell.role not in ("answer", "written")]
        assert [cell for cell in submission.cells if cell in given] == given
    source = homework.read_cells(course / "source" / "toy" / "toy.ipynb")
    answers = [cell for cell in source if cell.role in ("answer", "written")]
    assert [cell for cell in instructor.cells if cell in answers] == answers


def test_an_answer_that_the_release_lacks_is_told(course: Path) -> None:
    """The line comes instead of a mark for a notebook without it."""
    toy = homework.load(course, "toy")
    without = tuple(cell for cell in toy.cells if cell.role != "answer")
    with pytest.raises(HomeworkError, match=r"has no cell .* run `autograder release toy`"):
        known_answers.instructor(course, replace(toy, cells=without))
