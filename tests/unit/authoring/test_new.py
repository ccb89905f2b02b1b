"""new: what a new course's files say."""

import re
import subprocess
from pathlib import Path

import pytest

from autograder.authoring import new
from autograder.authoring.contract import release_gate
from autograder.course import course
from autograder.records.errors import UserError
from tests.helpers import ROOT


@pytest.mark.parametrize("title", ['Statistics "for" all', r"A \ B", "Größe, l'été"])
def test_a_title_may_have_any_signs(tmp_path: Path, title: str) -> None:
    """A quotation mark in it would end the text of course.toml."""
    new.new_course(tmp_path / "course", title)
    assert course.read(tmp_path / "course").title == title


@pytest.mark.parametrize("name", ["class", "hw-1", "1st", "größe", ""])
def test_a_homework_s_name_is_a_name_in_python(tmp_path: Path, name: str) -> None:
    """Its folder is a package."""
    with pytest.raises(UserError, match="is not a name for a homework; write letters"):
        new.new_homework(tmp_path, name)


@pytest.mark.parametrize(
    "ignored",
    [ROOT / ".gitignore", new.TEMPLATES / "course" / "gitignore.txt"],
    ids=["ours", "new"],
)
def test_git_ignores_all_results_in_the_pages_examples(ignored: Path) -> None:
    """They have names, marks and keys."""
    pages = "\n".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    folders = set(re.findall(r"^ *autograder .*--out ([a-z]\w*)", pages, re.MULTILINE))
    assert {"graded", "sheets", "term"} <= folders
    lines = ignored.read_text().splitlines()
    assert {f"/{name}/" for name in folders} <= set(lines)
    assert "/roster.csv.before" in lines


def test_a_homework_that_cannot_be_released_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier release of the same name stays."""
    root = tmp_path / "course"
    new.new_course(root, "A course")
    (root / "release" / "hw1").mkdir(parents=True)
    monkeypatch.setattr(release_gate, "released", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        new.new_homework(root, "hw1")
    assert not (root / "source" / "hw1").exists()
    assert (root / "release" / "hw1").exists()


def test_the_workflow_installs_the_packages_of_course_toml(tmp_path: Path) -> None:
    """Without them, `check` finds that they are missing."""
    new.new_course(tmp_path / "course", "A course")
    settings = tmp_path / "course" / course.FILE
    settings.write_text(settings.read_text().replace("[]", '["scipy>=1.11", "pandas"]'))
    workflow = (tmp_path / "course" / ".github" / "workflows" / "check.yml").read_text()
    (line,) = (line for line in workflow.splitlines() if "tomllib" in line)
    subprocess.run(["bash", "-c", line], cwd=tmp_path / "course", check=True)
    assert (tmp_path / "course" / "packages.txt").read_text() == "scipy>=1.11\npandas\n"
