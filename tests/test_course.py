"""course: course.toml is found from any folder, and a typo in it is not silence."""

from pathlib import Path

import pytest

from autograder import course
from autograder.model import UserError

GOOD = 'title = "T"\nterm = "X"\nsecret = "file"\n'


def test_it_is_found_from_below(tmp_path: Path) -> None:
    """Every verb works from any folder of a course."""
    (tmp_path / "course.toml").write_text(GOOD)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert course.find(below) == tmp_path.resolve()


def test_no_course_is_said(tmp_path: Path) -> None:
    """Outside a course the complaint says how to name one."""
    with pytest.raises(UserError, match="--course"):
        course.find(tmp_path)


@pytest.mark.parametrize(
    "text", [GOOD + "secrte = 'x'\n", "title = 3\n", "title = ", "title = 'T'"]
)
def test_mistakes_are_refused(tmp_path: Path, text: str) -> None:
    """Unknown keys, wrong types and missing keys name the file."""
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(UserError, match=r"course\.toml"):
        course.read(tmp_path)


def test_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret can stay out of the file."""
    (tmp_path / "course.toml").write_text(GOOD)
    assert course.read(tmp_path).secret == "file"
    monkeypatch.setenv(course.SECRET_VARIABLE, "environment")
    assert course.read(tmp_path).secret == "environment"
