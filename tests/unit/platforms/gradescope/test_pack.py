"""pack: the zip contains exactly what grading needs, always with the same bytes."""

import importlib.metadata
import json
import os
import stat
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from autograder.cli.main import app
from autograder.course import course, homework
from autograder.course.course import SECRET_VARIABLE, Due, GolfRules, Late, Platform
from autograder.platforms.gradescope import instructions, pack, requirements, run, self_test
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from tests.gradebooks import make_course
from tests.helpers import COURSE, ROOT, TOY

NAME = "toy"
PACKAGE = ROOT / "autograder"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("zip") / "hw.zip"
    pack.pack(TOY, homework.load(TOY, NAME), COURSE, target)
    return target


def test_packing_twice_gives_the_same_bytes(archive: Path, tmp_path: Path) -> None:
    """Only the owner may read it: it contains the solutions and the secret."""
    again = tmp_path / "again.zip"
    pack.pack(TOY, homework.load(TOY, NAME), COURSE, again)
    assert again.read_bytes() == archive.read_bytes()
    assert stat.S_IMODE(again.stat().st_mode) == 0o600


def test_the_zip_holds_what_grading_needs(archive: Path) -> None:
    """It has executable scripts at the top, but no rubrics, other homeworks or people."""
    with zipfile.ZipFile(archive) as packed:
        names = set(packed.namelist())
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in packed.infolist()}
        settings = course.unpacked(packed.read("course.json").decode())
    assert settings == COURSE
    top = {name for name in names if "/" not in name}
    assert top == {
        *("setup.sh", "run_autograder", "SET_UP.md"),
        *("course.json", "requirements.txt", "torch.txt"),
    }
    assert {name for name, mode in modes.items() if mode == 0o755} == {"setup.sh", "run_autograder"}
    homework_files = {name for name in names if name.startswith(("source/", "release/"))}
    assert {
        f"source/{NAME}/{NAME}.ipynb",
        f"source/{NAME}/staff/spec.py",
        f"release/{NAME}/{NAME}.ipynb",
    } <= homework_files
    for name in homework_files:
        assert name.split("/")[1] == NAME
        assert not {"rubrics", "right", "__pycache__"} & set(name.split("/"))
    modules = {p.relative_to(ROOT).as_posix() for p in PACKAGE.rglob("*.py")}
    assert modules <= names


def test_only_the_dates_of_this_homework_are_packed() -> None:
    """They include extensions; the secret is packed, too."""
    dates = Due(due=datetime(2026, 11, 1), extensions={"4711": datetime(2026, 11, 8)})
    settings = msgspec.structs.replace(COURSE, homework={NAME: dates, "other": dates})
    assert course.unpacked(course.packed(settings, NAME)) == msgspec.structs.replace(
        settings, homework={NAME: dates}
    )


def test_requirements_are_pinned_and_are_those_of_grading() -> None:
    """Authors' tools are left out; torch has its own line, since it has an index."""
    needed = requirements.requirements(course.read(ROOT).packages)
    names = {line.split("==")[0] for line in needed.pinned}
    assert {"numpy", "ipykernel", "msgspec", "matplotlib", "pyseccomp"} <= names
    assert not {"nbgrader", "sqlalchemy", "typer", "rich", "torch", "pytest"} & names
    assert all("==" in line and "+" not in line for line in needed.pinned)
    assert needed.torch.startswith("torch==")
    assert needed.size > 100_000_000


def test_what_no_notebook_imports_is_not_installed() -> None:
    """Without packages in course.toml, the image has neither torch nor matplotlib."""
    needed = requirements.requirements()
    assert not needed.torch
    assert not {"matplotlib", "tqdm"} & {line.split("==")[0] for line in needed.pinned}


def test_packages_of_the_course_are_installed_in_the_image() -> None:
    """They have the versions installed here; a missing one gives one line."""
    version = importlib.metadata.version("nbformat")
    needed = requirements.requirements(["nbformat>=5"])
    assert f"nbformat=={version}" in needed.pinned
    for wrong in ("no-such-package", "nbformat<1"):
        with pytest.raises(UserError, match=f"packages: {wrong} is not installed here"):
            requirements.requirements([wrong])


def test_what_runs_in_the_image_needs_nothing_else() -> None:
    """Modules that the container starts import only what is installed there."""
    code = (
        "import sys, autograder.platforms.gradescope.__main__, autograder.sandbox.inside.worker\n"
        "print({'nbgrader', 'nbclient', 'sqlalchemy', 'typer', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_scripts_are_valid(archive: Path, tmp_path: Path) -> None:
    """They are valid for bash, with Unix line ends and a first line."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    for name in pack.SCRIPTS:
        text = (tmp_path / name).read_bytes()
        assert text.startswith(b"#!/usr/bin/env bash\n")
        assert b"\r" not in text
        subprocess.run(["bash", "-n", tmp_path / name], check=True)


def test_the_page_says_what_to_set(toy: Homework) -> None:
    """It lists the machine's points, questions for people, extra credit and the course's rules."""
    count, mean, argue = toy.questions
    chosen = replace(toy, questions=(count, replace(mean, extra=True), argue))
    page = instructions.first_hour(chosen, COURSE)
    for said in (
        "Autograder points: **2**",
        "**manual grading** on",
        "| `argue` | 2 |",
        "`mean` (3 points)",
        "gives 5",
        "never both",
        "every upload is graded",
        "costs nothing",
    ):
        assert said in page
    by_hand = instructions.first_hour(
        replace(toy, questions=(count, mean, replace(argue, extra=True))), COURSE
    )
    assert "| `argue` (extra credit) | 2 |" in by_hand
    assert "there are none that the machine marks" in by_hand
    assert "gives 5," in by_hand
    strict = msgspec.structs.replace(
        COURSE,
        late=Late(rule="deduct", percent_a_day=15),
        gradescope=Platform(attempts_a_day=4),
        homework={NAME: Due(due=datetime(2026, 11, 1, 12))},
    )
    page = instructions.first_hour(chosen, strict)
    for said in ("4 uploads", "15 %", "2026-11-01 12:00 UTC", "Do not set a late penalty"):
        assert said in page


def test_the_verb_writes_the_zip_and_prints_the_page(tmp_path: Path) -> None:
    """It adds a note if the secret is public."""
    target = tmp_path / "hw.zip"
    words = ["pack", NAME, "-o", str(target), "--course", str(TOY)]
    ran = CliRunner().invoke(app, words, env={SECRET_VARIABLE: ""})
    assert ran.exit_code == 0, ran.output
    assert "Autograder points: **5**" in ran.output
    assert "more than its base" in ran.output
    assert "is public" in ran.output
    assert zipfile.is_zipfile(target)


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """One example is a missing folder."""
    with pytest.raises(UserError, match="cannot be written"):
        pack.pack(TOY, homework.load(TOY, NAME), COURSE, tmp_path / "none" / "hw.zip")


def test_a_zip_that_was_not_written_leaves_nothing(tmp_path: Path) -> None:
    """It would contain the solutions and the secret."""
    (tmp_path / "hw.zip").mkdir()
    with pytest.raises(UserError, match="cannot be written"):
        pack.pack(TOY, homework.load(TOY, NAME), COURSE, tmp_path / "hw.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["hw.zip"]


def test_a_bonus_of_golf_fails_no_image(
    tmp_path: Path, toy: Homework, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page names it, and the sum of points has no rounding error."""
    make_course(tmp_path / "source", like=TOY)
    bonus = {"score": 0.5, "extra_data": {"question": "golf"}}
    page = {"output": "", "tests": [bonus], "extra_data": {"finished": True, "isolation": []}}
    pages = iter([page | {"score": 5.5}, page | {"score": 0.0, "tests": []}])

    def graded(trial: Path, *, seconds: float) -> None:
        (trial / "results" / "results.json").write_text(json.dumps(next(pages)))

    monkeypatch.setattr(run, "run", graded)
    assert "the perfect notebook got 5 points" in next(self_test.tried(tmp_path))
    count = replace(toy.questions[0], points=1.1, par=9)
    golf = replace(toy, questions=(count, replace(count, par=None), count))
    assert self_test.most(golf) == 3.3
    settings = msgspec.structs.replace(COURSE, golf=GolfRules(points=0.5))
    assert "gives 3.3 (and up to 1 more in attention golf)," in instructions.first_hour(
        golf, settings
    )


def test_names_of_packages_in_the_scripts_are_current(archive: Path) -> None:
    """setup.sh accepts the oldest Python that the kit supports."""
    with zipfile.ZipFile(archive) as packed:
        script = packed.read("setup.sh").decode()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = project["requires-python"].removeprefix(">=")
    assert f"python{needed}" in script
    assert str(tuple(map(int, needed.split(".")))) in script
    assert os.access(PACKAGE / "platforms" / "gradescope" / "setup.sh", os.X_OK)
