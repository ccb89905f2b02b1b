"""homework: a folder becomes a Homework, or a sentence that names file and field."""

from pathlib import Path

import nbformat
import pytest

from autograder.course import homework
from autograder.course.cells import cells_of
from autograder.course.homework import HomeworkError
from tests.helpers import TOY


def change_metadata(course: Path, cell_id: str, **marks: object) -> None:
    path = course / "source" / "toy" / "toy.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == cell_id)
    cell.metadata["nbgrader"] |= marks
    nbformat.write(notebook, path)


def test_points_come_from_the_notebook() -> None:
    """Points are only in the notebook's metadata."""
    loaded = homework.load(TOY, "toy")
    assert {q.id: q.points for q in loaded.questions} == {"count": 2, "mean": 3, "argue": 2}


def test_an_unknown_homework_is_named() -> None:
    """The complaint lists the existing ones."""
    with pytest.raises(HomeworkError, match=r"no homework 'hw9'.*toy"):
        homework.load(TOY, "hw9")


def test_a_graded_cell_needs_a_question(mine: Path) -> None:
    """A graded cell without a question is an error."""
    change_metadata(mine, "mean", grade_id="mean_speed")
    with pytest.raises(HomeworkError, match=r"toy.ipynb: graded cell 'mean_speed'"):
        homework.load(mine, "toy")


def test_a_question_needs_a_graded_cell(mine: Path) -> None:
    """A question without points is an error that names it."""
    change_metadata(mine, "mean", grade=False, grade_id="other")
    with pytest.raises(HomeworkError, match=r"question 'mean' has no graded cell with points"):
        homework.load(mine, "toy")


def test_a_broken_spec_is_named(mine: Path) -> None:
    """An exception in staff/spec.py becomes a sentence with the file's name."""
    (mine / "source/toy/staff/spec.py").write_text("HOMEWORK = 1 / 0\n")
    with pytest.raises(HomeworkError, match=r"staff/spec.py: line 1: ZeroDivisionError"):
        homework.load(mine, "toy")


def test_what_changes_a_mark_changes_the_digest(mine: Path) -> None:
    """A changed reference changes the marks of the same facts; a changed adapter, the facts."""
    before = homework.load(mine, "toy")
    reference = mine / "source/toy/staff/reference.py"
    reference.write_text(reference.read_text() + "\n# changed\n")
    after = homework.load(mine, "toy")
    assert after.marks_digest != before.marks_digest
    assert after.facts_digest == before.facts_digest
    adapters = mine / "source/toy/staff/adapters.py"
    adapters.write_text(adapters.read_text() + "\n# changed\n")
    assert homework.load(mine, "toy").facts_digest != before.facts_digest


def test_pictures_of_text_cells_are_read_and_odd_ones_left_out() -> None:
    """Each name has only one image; whether it can be drawn is found out later."""
    attachments = {
        "a.png": {"image/png": ["QUJD", "REVG"], "text/html": "<b>"},
        "b.jpg": {"image/jpeg": "QUJD"},
        "c.svg": {"image/svg+xml": "<svg/>"},
        "d": "nonsense",
        "e": {"image/png": 7},
    }
    cell = {"cell_type": "markdown", "source": "", "metadata": {}, "attachments": attachments}
    (read,) = cells_of({"cells": [cell]})
    assert read.attachments == {"a.png": "QUJDREVG", "b.jpg": "QUJD", "c.svg": "<svg/>", "e": ""}
    (read,) = cells_of({"cells": [{**cell, "attachments": [1]}]})
    assert read.attachments == {}
