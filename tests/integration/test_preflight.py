"""preflight: nothing is written where what is to be graded cannot be meant."""

import json
import shutil
from pathlib import Path

import pytest

from autograder.grading import preflight
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.submission import discover
from tests.command_line import run
from tests.gradebooks import make_course
from tests.helpers import ROOT, TOY, write_class

OTHER = "hw1_toy_attention"


def release(folder: Path, name: str, number: int) -> Path:
    """Write as many copies of a course's release as submissions."""
    folder.mkdir(exist_ok=True)
    text = (ROOT / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8")
    for student in range(number):
        (folder / f"{name}_{student}.ipynb").write_text(text, encoding="utf-8")
    return folder


def test_a_class_of_another_homework_is_named(tmp_path: Path, hw2: Homework) -> None:
    """Most of them define answers of hw1 and none of hw2."""
    folder = release(tmp_path / "in", OTHER, 3)
    release(folder, hw2.name, 2)
    found, _ = discover.find([folder])
    with pytest.raises(
        UserError, match=f"3 of the 5 submissions checked belong to {OTHER}, .*; grade them with"
    ):
        preflight.refuse_others(ROOT, found, hw2)
    strange, right = found[0], found[-1]
    most = [*[right] * (preflight.SAMPLE - 2), *[strange] * preflight.SAMPLE]
    with pytest.raises(UserError, match=f"checked belong to {OTHER}, "):
        preflight.refuse_others(ROOT, most, hw2)


def test_a_class_without_functions_is_known_by_its_graded_cells(
    tmp_path: Path, hw2: Homework
) -> None:
    """Of an assignment with several notebooks, one may have written answers alone."""
    course = make_course(tmp_path / "course")
    path = course / "release" / OTHER / f"{OTHER}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    path.write_text(json.dumps(notebook))
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(path, folder / "ada.ipynb")
    with pytest.raises(UserError, match=f"1 of the 1 submissions checked belong to {OTHER}, "):
        preflight.refuse_others(course, discover.find([folder])[0], hw2)


def test_one_wrong_file_among_right_ones_costs_nobody_else(tmp_path: Path, hw2: Homework) -> None:
    """It is graded and earns nothing; so is each file of a class without recognisable answers."""
    folder = release(tmp_path / "in", OTHER, 2)
    release(folder, hw2.name, 2)
    preflight.refuse_others(ROOT, discover.find([folder])[0], hw2)
    for number in range(3):
        (folder / f"odd_{number}.ipynb").write_text("no notebook")
    preflight.refuse_others(ROOT, discover.find([folder])[0], hw2)
    preflight.refuse_others(ROOT, [], hw2)


def test_results_are_no_submissions(tmp_path: Path) -> None:
    """This covers results of a class and of one student; a student's own files never stop a run."""
    for student in ("ada", "bob"):
        (tmp_path / "graded" / student).mkdir(parents=True)
        for name in ("submission_log.json", "grade.json", "results.json", "executed.ipynb"):
            (tmp_path / "graded" / student / name).write_text("{}")
    for path in (tmp_path / "graded", tmp_path / "graded" / "ada"):
        with pytest.raises(UserError, match="has results of `autograder grade`"):
            preflight.refuse_results([path], tmp_path / "out")
    for student in ("carl", "dora", "eva"):
        (tmp_path / "graded" / student).mkdir()
        (tmp_path / "graded" / student / "toy.ipynb").write_text("{}")
    preflight.refuse_results([tmp_path / "graded"], tmp_path / "out")


@pytest.mark.parametrize("place", ["", "out", "ada/out"])
def test_results_never_lie_among_submissions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    """The next run would read them as submissions: one line, status 2, nothing written."""
    folder = write_class(tmp_path / "in")
    before = sorted(folder.rglob("*"))
    words = ("grade", "toy", folder, "--out", folder / place, "--course", TOY)
    status, _, errors = run(capsys, *words)
    assert status == 2
    assert "choose a folder elsewhere" in errors
    assert sorted(folder.rglob("*")) == before
