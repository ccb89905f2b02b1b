"""`autograder new`: a course and its homeworks, from nothing to marks, without torch anywhere."""

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, whole=True)]

HOMEWORKS = tomllib.loads(
    Path(__file__).with_name("new_homeworks.toml").read_text(encoding="utf-8")
)


def link(origin: str, goal: str) -> None:
    """Link a file, or copy it where it is on another disk."""
    try:
        os.link(origin, goal)
    except OSError:
        shutil.copy2(origin, goal)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Python with all that is here but torch."""
    place = tmp_path_factory.mktemp("without_torch")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    (mine,) = place.glob("lib/python*/site-packages")
    shutil.copytree(
        sysconfig.get_path("purelib"),
        mine,
        ignore=shutil.ignore_patterns("torch*", "functorch*"),
        copy_function=link,
        dirs_exist_ok=True,
    )
    found = place / "bin" / "python"
    assert subprocess.run([found, "-c", "import torch"], capture_output=True).returncode == 1
    return found


def run(python: Path, *words: object, course: Path) -> str:
    """Run the program in a course; return what it printed."""
    done = subprocess.run(
        [python, "-m", "autograder", *map(str, words)],
        cwd=course,
        capture_output=True,
        text=True,
        env={**os.environ, "AUTOGRADER_SECRET": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, python: Path) -> Path:
    """Return a course with what `new` writes, and two homeworks that were made of it."""
    folder = tmp_path_factory.mktemp("courses") / "course"
    run(python, "new", "course", folder, "--title", "Numbers", course=folder.parent)
    assert (folder / "secret.txt").stat().st_mode & 0o77 == 0
    settings = folder / "course.toml"
    named = settings.read_text().replace("packages = []", 'packages = ["matplotlib", "pandas"]')
    settings.write_text(named)
    for name in ("hw1", "tables", "plots"):
        run(python, "new", "homework", name, course=folder)
    for name, written in HOMEWORKS.items():
        source = folder / "source" / name
        for path in [*source.glob("staff/*/*"), *source.glob("staff/*.toml")]:
            path.unlink()
        (source / "staff" / "wrong").mkdir()
        (source / f"{name}.py").write_text(written["notebook"])
        (source / "staff" / "spec.py").write_text(written["spec"])
        for mistake, one in written["mistakes"].items():
            (source / "staff" / "wrong" / f"{mistake}.py").write_text(
                f'"""A mistake."""\n\nFAILS = ("{one["question"]}",)\nNUDGE = "Look."\n'
                f'EXPLANATION = "It is one."\nEDITS = {{{one["before"]!r}: {one["after"]!r}}}\n'
            )
        run(python, "release", name, "--execute", course=folder)
    return folder


@pytest.mark.parametrize("name", ["hw1", "tables", "plots"])
def test_it_is_sound(course: Path, python: Path, name: str) -> None:
    """Every clause holds; `run` looks at the status as well."""
    said = run(python, "check", name, course=course)
    assert " | NO | " not in said
    assert "mistakes lose their questions" in said


def test_what_new_writes_fits_on_two_screens(course: Path) -> None:
    """The notebook as text on one, all of staff/ on another."""
    source = course / "source" / "hw1"
    assert len((source / "hw1.py").read_text().splitlines()) <= 80
    files = [path for path in source.glob("staff/**/*.*") if path.parent.name != "__pycache__"]
    assert sum(len(path.read_text().splitlines()) for path in files) <= 100


def test_submissions_are_graded(course: Path, python: Path) -> None:
    """The solution earns everything, the release nothing, and a wrong answer gets a message."""
    for name in ("hw1", "tables", "plots"):
        inbox = course / "collected" / name
        inbox.mkdir(parents=True)
        solution = (course / "solutions" / name / f"{name}.ipynb").read_text()
        for student in ("right", "empty", "wrong"):
            (inbox / student).mkdir()
        (inbox / "right" / "mine.ipynb").write_text(solution)
        release = course / "release" / name / f"{name}.ipynb"
        (inbox / "empty" / "mine.ipynb").write_bytes(release.read_bytes())
        wrong = solution.replace("last()", "head(1)").replace('ylabel=\\"loss\\"', 'ylabel=\\"\\"')
        (inbox / "wrong" / "mine.ipynb").write_text(wrong.replace("[0].upper()", "[0]"))
        out = course / "graded" / name
        run(python, "grade", name, inbox, "--out", out, "-j", "1", course=course)
        run(python, "report", out, course=course)
        rows = {
            row["id"]: row
            for row in csv.DictReader(
                (out / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
            )
        }
        waits = name == "hw1"
        assert float(rows["right"]["score"]) == {"hw1": 8, "tables": 5, "plots": 10}[name]
        assert float(rows["empty"]["score"]) == 0
        assert ("not marked yet" in rows["right"]["state"]) is waits
        marks = json.loads((out / "wrong" / "grade.json").read_text())["marks"]
        (lost,) = (one for one in marks if one["earned"] == 0 and not one["by_hand"])
        assert {
            "hw1": "is right but for spaces or capital letters",
            "tables": "rows",
            "plots": "`y_label` is missing",
        }[name] in lost["message"]


def test_a_text_that_is_no_cell_is_one_line(course: Path, python: Path) -> None:
    """File, line, and what there is."""
    path = course / "source" / "hw1" / "hw1.py"
    before = path.read_text()
    path.write_text(before.replace("# %% check initials 4", "# %% check initials"))
    done = subprocess.run(
        [python, "-m", "autograder", "release", "hw1"], cwd=course, capture_output=True, text=True
    )
    path.write_text(before)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert (
        "hw1.py: line 20: `# %% check initials` does not begin a cell; use text, provided" in line
    )
