"""new: what a new course's files say."""

from pathlib import Path

import pytest

from autograder.authoring import new
from autograder.course import course


@pytest.mark.parametrize("title", ['Statistics "for" all', r"A \ B", "Größe, l'été"])
def test_a_title_may_have_any_signs(tmp_path: Path, title: str) -> None:
    """A quotation mark in it would end the text of course.toml."""
    new.new_course(tmp_path / "course", title)
    assert course.read(tmp_path / "course").title == title
