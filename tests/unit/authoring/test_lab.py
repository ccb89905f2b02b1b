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


def test_a_figure_that_differs_without_a_word_is_complained_of(tmp_path: Path) -> None:
    """So is a table that is missing from the notebook, and one with different rows."""
    name = NAMES[0]
    shutil.copytree(ROOT / "source" / name, tmp_path / "source" / name)
    file = tmp_path / "source" / name / "staff" / "lab.json"
    saved = json.loads(file.read_text())
    key = next(key for key, row in lab.rows(tmp_path, name).items() if not row.why)
    saved["measured"][key][1] = 1e6
    file.write_text(json.dumps(saved))
    first, second = lab.complaints(tmp_path, name)
    assert first.startswith(f"{key} differs")
    assert "differs from the table" in second
    lab.write_table(tmp_path, name)
    assert lab.complaints(tmp_path, name) == [first]
    assert "**no**" in lab.table(tmp_path, name)
    del saved["measured"][key]
    file.write_text(json.dumps(saved))
    assert "other rows" in lab.complaints(tmp_path, name)[0]
    file.unlink()
    with pytest.raises(HomeworkError, match=r"lab\.json is missing"):
        lab.complaints(tmp_path, name)


def test_a_notebook_without_a_place_for_the_table_is_told(tmp_path: Path) -> None:
    """The line names the file and the cell."""
    name = NAMES[0]
    shutil.copytree(ROOT / "source" / name, tmp_path / "source" / name)
    path = tmp_path / "source" / name / f"{name}.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace(lab.CELL, "another"))
    with pytest.raises(HomeworkError, match=f"there is no cell '{lab.CELL}'"):
        lab.write_table(tmp_path, name)


def test_the_lab_changes_no_mark(tmp_path: Path) -> None:
    """New words in its table do not cause anything to be graded again."""
    name = NAMES[0]
    for part in ("source", "release"):
        shutil.copytree(ROOT / part / name, tmp_path / part / name)
    before = homework.load(tmp_path, name).marks_digest
    staff = tmp_path / "source" / name / "staff"
    with (staff / "lab.py").open("a", encoding="utf-8") as file:
        file.write("# more\n")
    assert homework.load(tmp_path, name).marks_digest == before
    with (staff / "cases.py").open("a", encoding="utf-8") as file:
        file.write("# more\n")
    assert homework.load(tmp_path, name).marks_digest != before
