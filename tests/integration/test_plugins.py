"""Wings: another distribution adds a verb, a platform or marks without touching ours, and the core goes without any."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.records.questions import RESULT
from autograder.store import results
from tests.exports import packed
from tests.helpers import ROOT, SECRET, TOY
from tests.sample_grade import GRADE

VERB, PLATFORM, CHECK = re.findall(
    r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL
)
TALKS = '''\
"""Marks for a talk in class, from a file beside the submission."""

import msgspec

from autograder.records.marks import HandMarks, Mark, MarkGiver


class Rules(msgspec.Struct, forbid_unknown_fields=True):
    points: float = 5.0


class Talks(MarkGiver):
    title = "talk"
    settings = Rules

    def added(self, grade, folder):
        path = folder / "talk.txt"
        return Mark("talk", 5.0, float(path.read_text()), "A talk.", by_hand=True) if path.exists() else None

    def by_people(self, root, folder, url):
        return "a list", {"ada": HandMarks({"compare": 4.5}, comments={"compare": "Good."})}


giver = Talks()
'''
WITHOUT = """\
import sys, importlib.metadata as metadata
real = metadata.entry_points
metadata.entry_points = lambda group, **_: real(group=group) if group == "autograder.marks" else ()
from autograder.cli.main import app; sys.argv[:1] = ["autograder"]; app()
"""


def test_another_distribution_adds_a_verb(tmp_path: Path) -> None:
    """Its entry point is found, its verb is in the help, and works on a course."""
    install(tmp_path, VERB, "[autograder.verbs]\ncounting = module_of_theirs:verbs\n")
    assert "Count the homeworks" in autograder(tmp_path, "--help")
    assert autograder(tmp_path, "count", "--course", str(TOY)) == "homeworks: 1\n"


@pytest.mark.slow
def test_another_distribution_adds_a_platform(tmp_path: Path) -> None:
    """`grade` takes from its export whose a file is, and when it came."""
    install(tmp_path, PLATFORM, "[autograder.platforms]\ncampus = module_of_theirs:CAMPUS\n")
    perfect = (TOY / "solutions" / "toy" / "toy.ipynb").read_bytes()
    listed = b"x7.ipynb,a001,2026-03-04 05:06 UTC\n"
    zipped = packed(tmp_path / "export.zip", {"x7.ipynb": perfect, "campus.csv": listed})
    words = ("grade", "toy", str(zipped), "--course", str(TOY), "--out")
    assert "a001: 5/7" in autograder(tmp_path, *words, str(tmp_path / "out"))
    log = json.loads((tmp_path / "out" / "a001" / "submission_log.json").read_text())
    assert log["receipt"]["at"] == "2026-03-04T05:06:00Z"
    assert "x7: 5/7" in autograder(tmp_path / "elsewhere", *words, str(tmp_path / "plain"))


def test_a_course_adds_a_check() -> None:
    """It judges arrays, right and wrong ones."""
    names: dict[str, Any] = {"__name__": "theirs"}
    exec(CHECK, names)
    check = names["Sorted"]()
    assert check({}, {RESULT: np.array([1.0, 1.0, 2.0])}).fraction == 1
    assert check({}, {RESULT: np.array([1.0, 3.0, 2.0])}).fraction == 0
    assert check({}, {RESULT: "a text"}).fraction == 0


def test_a_column_of_the_roster_is_called_as_a_platform_is(tmp_path: Path) -> None:
    """So it has ids, and no two people have one; of a column with a different name nothing is known."""
    install(tmp_path, PLATFORM, "[autograder.platforms]\ncampus = module_of_theirs:CAMPUS\n")
    code = "from autograder.course.people import parsed; parsed('id,{}\\na,9\\nb,9\\n')"
    assert "both have the id '9'" in python(tmp_path, code.format("campus"), status=1)
    assert python(tmp_path, code.format("shoes")) == ""


def test_a_platform_that_is_broken_is_one_line(tmp_path: Path) -> None:
    """Without it, what it exported would be graded under names of files."""
    install(tmp_path, "x =", "[autograder.platforms]\ncampus = module_of_theirs:CAMPUS\n")
    words = ("grade", "toy", str(TOY / "solutions"), "--course", str(TOY), "--out")
    said = autograder(tmp_path, *words, str(tmp_path / "out"), status=2)
    assert said.startswith("autograder: the platform campus cannot be loaded (SyntaxError: ")
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("", ""),
        ("[talk]\npoints = 3\n", ""),
        (
            "[talk]\npoint = 3\n",
            "[talk]: it has no field 'point'; is it points? The fields are points",
        ),
        (
            "[talks]\npoints = 3\n",
            "it has no field 'talks'; is it talk? The fields are title, term, ",
        ),
    ],
)
def test_another_distribution_adds_marks(tmp_path: Path, settings: str, said: str) -> None:
    """A mark of its own and points for a question count; its table in course.toml is looked at."""
    install(tmp_path, TALKS, "[autograder.marks]\ntalks = module_of_theirs:giver\n")
    (tmp_path / "course.toml").write_text(f'title = "T"\nterm = "S"\n{settings}')
    folder = tmp_path / "out" / "ada"
    folder.mkdir(parents=True)
    results.write_grade(folder, GRADE)
    (folder / "talk.txt").write_text("2.5")
    words = ("report", str(folder.parent), "--course", str(tmp_path))
    shown = autograder(tmp_path, *words, status=2 if said else 0)
    assert said in shown
    if not said:
        assert "marks given by hand: from a list" in shown
        table = (folder.parent / "grades.csv").read_text(encoding="utf-8-sig")
        most, ada = csv.DictReader(table.splitlines())
        assert (most["talk"], ada["talk"], ada["compare"], ada["score"]) == (
            "5",
            "2.5",
            "4.5",
            "21",
        )


def test_the_core_works_without_wings() -> None:
    """With no distribution installed, the core's verbs are all there is."""
    found = python(Path(), WITHOUT, "--help")
    assert all(verb in found for verb in ("grade", "regrade", "report", "doctor"))
    assert not any(verb in found for verb in ("release", "export", "defend"))


@pytest.mark.slow
def test_a_folder_of_notebooks_needs_no_platform(tmp_path: Path) -> None:
    """Nor does a zip: each folder is a student's."""
    perfect = (TOY / "solutions" / "toy" / "toy.ipynb").read_bytes()
    zipped = packed(tmp_path / "in.zip", {f"{who}/toy.ipynb": perfect for who in ("ada", "ben")})
    words = ("grade", "toy", str(zipped), "--course", str(TOY), "--out", str(tmp_path / "out"))
    shown = python(tmp_path, WITHOUT, *words)
    assert "ada: 5/7" in shown
    assert "ben: 5/7" in shown


def install(place: Path, module: str, entry_points: str) -> None:
    """Put a distribution of somebody else's where Python finds it."""
    (place / "module_of_theirs.py").write_text(module)
    metadata = place / "theirs-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points)


def autograder(place: Path, *words: str, status: int = 0) -> str:
    """Return what the program prints with a folder on its path; where it fails, its errors."""
    code = "import autograder.__main__ as program; program.main()"
    return python(place, code, *words, status=status)


def python(place: Path, code: str, *words: str, status: int = 0) -> str:
    """Return what a program prints, as `autograder` does."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(place), "COLUMNS": "120", "AUTOGRADER_SECRET": SECRET},
    )
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout
