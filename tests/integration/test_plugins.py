"""Wings: another distribution adds a verb without touching ours, and the core goes without any."""

import os
import subprocess
import sys
from pathlib import Path

from tests.helpers import TOY

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


def test_another_distribution_adds_a_verb(tmp_path: Path) -> None:
    """Its entry point is found, its verb is in the help, and works on a course."""
    (tmp_path / "counting.py").write_text(VERB)
    metadata = tmp_path / "counting-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: counting\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[autograder.verbs]\ncounting = counting:verbs\n")
    assert "Count the homeworks" in autograder(tmp_path, "--help")
    assert autograder(tmp_path, "count", "--course", str(TOY)) == "1 homework\n"


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
    done = subprocess.run(
        [sys.executable, "-m", "autograder", *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(place), "COLUMNS": "120"},
    )
    return done.stdout
