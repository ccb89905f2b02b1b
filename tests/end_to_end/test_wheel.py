"""What is installed: a wheel, into an empty environment, with what it needs and nothing else."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

from autograder import __version__
from tests.helpers import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, long=True)]


def done(*words: object, cwd: Path) -> str:
    """Run a program with an environment of its own; return what it printed."""
    kept = {
        name: os.environ[name] for name in os.environ if not name.startswith(("PYTHON", "VIRTUAL"))
    }
    ran = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=kept,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, f"{words}\n{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of the files that git knows."""
    place = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "autograder", "pyproject.toml", "README.md", "LICENSE"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        (place / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / "tree" / name)
    done(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        place,
        place / "tree",
        cwd=place,
    )
    (built,) = place.glob("*.whl")
    return built


def test_the_wheel_has_each_file_of_the_package_and_no_other(wheel: Path) -> None:
    """Templates, pages, schemas and scripts as well."""
    listed = subprocess.run(
        ["git", "ls-files", "autograder"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == set(listed.stdout.split())


def test_a_course_is_made_and_checked_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """Without torch, from the package index, by the installed program alone."""
    venv.create(tmp_path / "venv", with_pip=True)
    python, autograder = (tmp_path / "venv" / "bin" / name for name in ("python", "autograder"))
    done(python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel, cwd=tmp_path)
    assert done(autograder, "--version", cwd=tmp_path) == f"autograder {__version__}\n"
    installed = done(python, "-m", "pip", "list", "--format", "freeze", cwd=tmp_path)
    assert not re.search(r"^(torch|matplotlib|scipy|distributed)==", installed, re.MULTILINE)
    done(autograder, "new", "course", "course", cwd=tmp_path)
    done(autograder, "new", "homework", "hw1", cwd=tmp_path / "course")
    rows = done(autograder, "check", "hw1", cwd=tmp_path / "course")
    assert "| yes |" in rows
    assert "| NO |" not in rows


def test_the_version_is_the_same_everywhere() -> None:
    """In the package, the citation and the newest heading of the changes."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", changes, re.MULTILINE)
    assert newest
    assert (newest[1], newest[2]) == (__version__, str(cited["date-released"]))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["license"] == project["license"]
