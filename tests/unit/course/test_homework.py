"""homework: a folder becomes a Homework, or a sentence that names file and field."""

import shutil
from pathlib import Path

import nbformat
import pytest

from autograder.course import homework
from autograder.course.cells import cells_of
from autograder.course.homework import HomeworkError


@pytest.fixture
def copied(course: Path, tmp_path: Path) -> Path:
    """A copy of hw2_transformer to break."""
    for part in ("source", "release"):
        shutil.copytree(course / part / "hw2_transformer", tmp_path / part / "hw2_transformer")
    return tmp_path


def change_metadata(course: Path, cell_id: str, **marks: object) -> None:
    path = course / "source" / "hw2_transformer" / "hw2_transformer.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.id == cell_id)
    cell.metadata["nbgrader"] |= marks
    nbformat.write(notebook, path)


def test_points_come_from_the_notebook(course: Path) -> None:
    """Points are written once, in the notebook's metadata."""
    loaded = homework.load(course, "hw2_transformer")
    assert {q.id: q.points for q in loaded.questions} == {
        "port": 8,
        "port_positions": 8,
        "port_gradients": 4,
        "port_vectorised": 4,
        "identity": 12,
        "compare_identity": 6,
        "copy_first": 12,
        "compare_copy_first": 6,
        "unique": 4,
    }
    assert sum(q.points for q in loaded.questions if not q.extra) == 60


def test_an_unknown_homework_is_named(course: Path) -> None:
    """The complaint lists what there is."""
    with pytest.raises(HomeworkError, match=r"no homework 'hw9'.*hw2_transformer"):
        homework.load(course, "hw9")


def test_a_graded_cell_needs_a_question(copied: Path) -> None:
    """A graded cell that no question asks about is an error, not silence."""
    change_metadata(copied, "port", grade_id="port_speed")
    with pytest.raises(HomeworkError, match=r"hw2_transformer.ipynb: graded cell 'port_speed'"):
        homework.load(copied, "hw2_transformer")


def test_a_question_needs_a_graded_cell(copied: Path) -> None:
    """A question without points is an error that names it."""
    change_metadata(copied, "port", grade=False, grade_id="other")
    with pytest.raises(HomeworkError, match=r"question 'port' has no graded cell with points"):
        homework.load(copied, "hw2_transformer")


def test_a_broken_spec_is_named(copied: Path) -> None:
    """An exception in staff/spec.py becomes a sentence with the file's name."""
    (copied / "source/hw2_transformer/staff/spec.py").write_text("HOMEWORK = 1 / 0\n")
    with pytest.raises(HomeworkError, match=r"staff/spec.py: ZeroDivisionError"):
        homework.load(copied, "hw2_transformer")


def test_a_question_needs_earlier_ones_only(copied: Path) -> None:
    """What a question needs is named where it is no question before it."""
    spec = copied / "source/hw2_transformer/staff/spec.py"
    spec.write_text(spec.read_text().replace('needs=("port",)', 'needs=("unique",)'))
    with pytest.raises(
        HomeworkError, match=r"'port_vectorised' names 'unique', which is no earlier"
    ):
        homework.load(copied, "hw2_transformer")


def test_a_question_needs_a_check_of_the_kind(copied: Path) -> None:
    """A plain function is no check: it says nothing of likeness, and nothing of time."""
    spec = copied / "source/hw2_transformer/staff/spec.py"
    spec.write_text(
        spec.read_text().replace('VectorisedPort(("Qm", "Km", "Vm"), OUTPUT_TOLERANCE)', "describe")
    )
    with pytest.raises(HomeworkError, match=r"spec.py: .* 'port_vectorised' is no Check"):
        homework.load(copied, "hw2_transformer")


def test_a_spec_without_homework_is_named(copied: Path) -> None:
    """A spec that defines nothing says what it should define."""
    (copied / "source/hw2_transformer/staff/spec.py").write_text("")
    with pytest.raises(HomeworkError, match=r"HOMEWORK = Homework\(...\) is missing"):
        homework.load(copied, "hw2_transformer")


def test_what_changes_a_mark_changes_the_digest(copied: Path) -> None:
    """A changed reference gives other marks for the same facts; a changed adapter, other facts."""
    before = homework.load(copied, "hw2_transformer")
    reference = copied / "source/hw2_transformer/staff/reference.py"
    reference.write_text(reference.read_text() + "\n# changed\n")
    after = homework.load(copied, "hw2_transformer")
    assert after.marks_digest != before.marks_digest
    assert after.facts_digest == before.facts_digest
    adapters = copied / "source/hw2_transformer/staff/adapters.py"
    adapters.write_text(adapters.read_text() + "\n# changed\n")
    assert homework.load(copied, "hw2_transformer").facts_digest != before.facts_digest


def test_pictures_of_text_cells_are_read_and_odd_ones_left_out() -> None:
    """One image for each name, whatever else stands there; whether it can be drawn is seen later."""
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
