"""The labs' tables: measurements are in the notebook, and every difference has a reason."""

import json
import shutil
from pathlib import Path

import pytest

from autograder.authoring import lab, release
from autograder.course import homework
from autograder.course.homework import HomeworkError
from tests.helpers import ROOT

NAMES = lab.names(ROOT)
NAME = NAMES[0]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a course with a copy of one homework that has a lab."""
    for part in ("source", "release"):
        shutil.copytree(ROOT / part / NAME, tmp_path / part / NAME)
    return tmp_path


def test_there_are_labs() -> None:
    """At least the two existing ones are found."""
    assert {"hw1_toy_attention", "hw4_position"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_has_what_was_measured(name: str) -> None:
    """Each row has three seeds; a row that differs from the reference has a reason."""
    assert lab.complaints(ROOT, name) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_student_gets_the_table(name: str) -> None:
    """The cell is in the source and in the solutions, but not in the release."""
    notebook = release.release_files(ROOT, name)[Path(f"{name}.ipynb")].decode()
    assert lab.CELL not in notebook
    assert "staff only" not in notebook
    assert lab.CELL in (ROOT / "solutions" / name / f"{name}.ipynb").read_text(encoding="utf-8")


def test_a_row_holds_where_each_figure_does() -> None:
    """A single figure outside is enough for a complaint."""
    row = lab.Row("something", "2 to 3", 2, 3)
    assert row.holds([2, 2.5, 3])
    assert not row.holds([2.5, 3.1])


def test_a_figure_that_differs_without_a_word_is_complained_of(copied: Path) -> None:
    """So is a table that is missing from the notebook, and one with different rows."""
    file = copied / "source" / NAME / "staff" / "lab.json"
    saved = json.loads(file.read_text())
    key = next(key for key, row in lab.rows(copied, NAME).items() if not row.why)
    saved["measured"][key][1] = 1e6
    file.write_text(json.dumps(saved))
    first, second = lab.complaints(copied, NAME)
    assert first.startswith(f"{key} differs")
    assert "differs from the table" in second
    lab.write_table(copied, NAME)
    assert lab.complaints(copied, NAME) == [first]
    assert "**no**" in lab.table(copied, NAME)
    del saved["measured"][key]
    file.write_text(json.dumps(saved))
    assert "other rows" in lab.complaints(copied, NAME)[0]
    file.unlink()
    with pytest.raises(HomeworkError, match=r"lab\.json is missing"):
        lab.complaints(copied, NAME)


def test_a_notebook_without_a_place_for_the_table_is_told(copied: Path) -> None:
    """The line names the file and the cell."""
    path = copied / "source" / NAME / f"{NAME}.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace(lab.CELL, "another"))
    with pytest.raises(HomeworkError, match=f"there is no cell '{lab.CELL}'"):
        lab.write_table(copied, NAME)


@pytest.mark.parametrize(("file", "changes"), [("lab.py", False), ("cases.py", True)])
def test_the_lab_changes_no_mark(copied: Path, file: str, changes: bool) -> None:
    """New words in its table do not cause anything to be graded again; in the cases they do."""
    before = homework.load(copied, NAME).marks_digest
    path = copied / "source" / NAME / "staff" / file
    path.write_text(path.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
    assert (homework.load(copied, NAME).marks_digest != before) is changes
