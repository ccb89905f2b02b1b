"""new: what a new course's files say."""

import re
from pathlib import Path

import pytest

from autograder.authoring import new
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
