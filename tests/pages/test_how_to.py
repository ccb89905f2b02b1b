"""The example of each page that tells how to do something runs, in the tutorial's course."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from autograder.course.course import SECRET_VARIABLE
from tests.helpers import ROOT
from tests.pages.examples import BIN, run, steps

pytestmark = [pytest.mark.slow, pytest.mark.turns(6, long=True)]

DOCS = ROOT / "docs"
TESTED_ELSEWHERE = {
    "defence.md": "tests/integration/test_defend.py",
    "desk.md": "tests/end_to_end/test_desk.py",
    "jupyterhub.md": "tests/end_to_end/test_exchange.py",
}
PAGES = [
    path
    for folder in ("how_to", "writing")
    for path in sorted((DOCS / folder).glob("*.md"))
    if path.name not in {*TESTED_ELSEWHERE, "rubrics.md", "move_a_course.md"}
]
"""All but a rubric, which is not a command, and the page on a course of an earlier version."""
ROSTER = """\
id,name,email,canvas,moodle,github
ada,Ada Example,ada@uni.example,501,9001,ada-x
ben,Ben Example,ben@uni.example,502,9002,ben-y
cy,Cy Example,cy@uni.example,503,9003,cy-z
dee,Dee Example,dee@uni.example,504,9004,dee-w
"""
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,hw1 (77)
    Points Possible,,,,,10.00
"Example, Ada",501,ada,ada,A,
"Example, Ben",502,ben,ben,A,
"Example, Cy",503,cy,cy,A,
"""
MOODLE = """\
Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed
Participant 9001,Ada Example,ada@uni.example,Submitted for grading,,10.00,Yes
Participant 9002,Ben Example,ben@uni.example,Submitted for grading,,10.00,Yes
Participant 9003,Cy Example,cy@uni.example,Submitted for grading,,10.00,Yes
"""


def done(place: Path, *words: object) -> None:
    """Run a command that must succeed."""
    environment = {name: text for name, text in os.environ.items() if name != SECRET_VARIABLE}
    command = [str(word) for word in words]
    subprocess.run(command, cwd=place, check=True, capture_output=True, env=environment)


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a course with two homeworks, three students of hw1, and what platforms exported."""
    folder = tmp_path_factory.mktemp("term")
    course = folder / "statistics"
    done(folder, BIN / "autograder", "new", "course", "statistics", "--title", "Statistics")
    for name in ("hw1", "hw2"):
        done(course, BIN / "autograder", "new", "homework", name)
    right = (course / "solutions/hw1/hw1.ipynb").read_text(encoding="utf-8")
    for who, text in {
        "ada": right,
        "ben": (course / "release/hw1/hw1.ipynb").read_text(encoding="utf-8"),
        "cy": right.replace("word[0].upper()", "word[0]"),
    }.items():
        (folder / "collected" / who).mkdir(parents=True)
        (folder / "collected" / who / "hw1.ipynb").write_text(text, encoding="utf-8")
    (folder / "second" / "ada").mkdir(parents=True)
    shutil.copy(course / "solutions/hw2/hw2.ipynb", folder / "second" / "ada")
    (course / "roster.csv").write_text(ROSTER)
    (folder / "gradebook.csv").write_text(CANVAS)
    (folder / "worksheet.csv").write_text(MOODLE)
    clone = folder / "clones" / "fall-hw1-ada-x"
    shutil.copytree(folder / "collected" / "ada", clone)
    done(clone, "git", "init", "-q")
    done(clone, "git", "add", ".")
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@uni.example")
    done(clone, "git", *author, "commit", "-qm", "Answer all questions")
    for name, given in (("hw1", "collected"), ("hw2", "second")):
        out = f"graded/{name}"
        done(course, BIN / "autograder", "grade", name, f"../{given}", "--out", out)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_an_example_is_true(page: Path, term: Path, tmp_path: Path) -> None:
    """It prints what the page shows."""
    place = tmp_path / "term"
    shutil.copytree(term, place)
    if page.name == "grading.md":
        shutil.rmtree(place / "statistics" / "graded")
    if page.name == "similar.md":
        shutil.copytree(place / "statistics" / "graded", place / "last_year" / "graded")
    for commands, different in run(page, place / "statistics"):
        assert different == [], commands


def test_a_course_of_1_0_moves(tmp_path: Path) -> None:
    """It keeps its arguments in spec.py, and the page's commands suffice."""
    course = tmp_path / "toys"
    shutil.copytree(ROOT / "tests" / "toy_course", course)
    spec = course / "source" / "toy" / "staff" / "spec.py"
    text = spec.read_text(encoding="utf-8")
    for now, before in (("hide=", "without="), ("questions=(", "gives={},\n    questions=(")):
        assert now in text
        text = text.replace(now, before)
    spec.write_text(text, encoding="utf-8")
    for commands, different in run(DOCS / "how_to" / "move_a_course.md", course):
        assert different == [], commands


def test_a_homework_is_added_as_contributing_tells(term: Path, tmp_path: Path) -> None:
    """With its two commands, in a course that has others."""
    shutil.copytree(term / "statistics", tmp_path / "statistics")
    (step,) = steps((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(step.commands.splitlines()) == 2
    assert run(ROOT / "CONTRIBUTING.md", tmp_path / "statistics") == []
    assert (tmp_path / "statistics" / "release" / "hw8" / "hw8.ipynb").is_file()


def test_each_page_has_an_example() -> None:
    """It has at least one block of commands with their output."""
    for page in PAGES:
        assert any(step.shown for step in steps(page.read_text(encoding="utf-8"))), page
    for path in TESTED_ELSEWHERE.values():
        assert (ROOT / path).is_file()
