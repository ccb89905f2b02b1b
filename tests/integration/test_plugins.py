"""Wings: another distribution adds a verb without touching ours, and the core goes without any."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.store import results
from tests.helpers import TOY
from tests.sample_grade import GRADE

VERB = '''\
"""A wing of somebody else's."""

import typer

from autograder.cli.shared import CourseOption, say
from autograder.course import course, homework

verbs = typer.Typer()


@verbs.command()
def count(course_folder: CourseOption = course.Path()) -> None:
    """Count the homeworks of a course."""
    say(f"{len(homework.names(course.find(course_folder)))} homework")
'''

TALKS = '''\
"""Marks for a talk in class, from a file beside the submission."""

import msgspec

from autograder.records.marks import HandMarks, Mark, MarkGiver


class Rules(msgspec.Struct, forbid_unknown_fields=True):
    points: float = 5.0


class Talks(MarkGiver):
    title = "talk"
    settings = Rules

    def added(self, folder):
        path = folder / "talk.txt"
        return Mark("talk", 5.0, float(path.read_text()), "A talk.", by_hand=True) if path.exists() else None

    def by_people(self, root, folder, url):
        return "a list", {"ada": HandMarks({"compare": 4.5}, comments={"compare": "Good."})}


giver = Talks()
'''


def installed(place: Path, name: str, code: str, entry: str) -> None:
    """Install a distribution with one module and one entry point into a folder."""
    (place / f"{name}.py").write_text(code)
    metadata = place / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry)


def test_another_distribution_adds_a_verb(tmp_path: Path) -> None:
    """Its entry point is found, its verb is in the help, and works on a course."""
    installed(tmp_path, "counting", VERB, "[autograder.verbs]\ncounting = counting:verbs\n")
    assert "Count the homeworks" in autograder(tmp_path, "--help")
    assert autograder(tmp_path, "count", "--course", str(TOY)) == "1 homework\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("", ""),
        ("[talk]\npoints = 3\n", ""),
        ("[talk]\npoint = 3\n", "[talk]: it has no field 'point'; is it points? There are points"),
        ("[talks]\npoints = 3\n", "it has no field 'talks'; is it talk? There are title, term, "),
    ],
)
def test_another_distribution_adds_marks(tmp_path: Path, settings: str, said: str) -> None:
    """A mark of its own and points for a question count; its table in course.toml is looked at."""
    installed(tmp_path, "talks", TALKS, "[autograder.marks]\ntalks = talks:giver\n")
    (tmp_path / "course.toml").write_text(f'title = "T"\nterm = "S"\n{settings}')
    folder = tmp_path / "out" / "ada"
    folder.mkdir(parents=True)
    results.write_grade(folder, GRADE)
    (folder / "talk.txt").write_text("2.5")
    done = run(tmp_path, "report", str(folder.parent), "--course", str(tmp_path))
    assert said in done.stderr
    assert done.returncode == (2 if said else 0)
    if not said:
        assert "marks by hand: from a list" in done.stdout
        table = (folder.parent / "grades.csv").read_text(encoding="utf-8-sig")
        most, ada = csv.DictReader(table.splitlines())
        assert (most["talk"], ada["talk"], ada["compare"], ada["score"]) == (
            "5",
            "2.5",
            "4.5",
            "21",
        )


def test_the_core_works_without_wings(tmp_path: Path) -> None:
    """With no distribution installed, the core's verbs are all there is."""
    code = (
        "import sys, importlib.metadata; importlib.metadata.entry_points = lambda **_: ()\n"
        "from autograder.cli.main import app; sys.argv = ['autograder', '--help']; app()\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    assert all(verb in found for verb in ("grade", "regrade", "report", "doctor"))
    assert not any(verb in found for verb in ("release", "export", "defend"))


def autograder(place: Path, *words: str) -> str:
    """Return what the program prints with a folder on its path."""
    done = run(place, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program with a folder on its path."""
    return subprocess.run(
        [sys.executable, "-m", "autograder", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(place), "COLUMNS": "120"},
    )
