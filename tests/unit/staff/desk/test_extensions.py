"""extensions: course.toml keeps its comments, and is never left broken."""

import threading
from datetime import datetime
from pathlib import Path

import pytest

from autograder.course import course
from autograder.records.errors import UserError
from autograder.staff.desk.extensions import give
from autograder.store import files
from tests.gradebooks import make_course
from tests.helpers import TOY

TEXT = """\
title = "Toys"  # at the top of every report
term = "Spring"
secret = "x"

[homework.toy]
due = 2026-11-30T23:59:00
{extensions}
# What a late submission costs.
[late]
rule = "deduct"
"""
UNTIL, NOW = datetime(2026, 12, 5, 12), datetime(2026, 11, 27, 9)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_course(tmp_path / "course", like=TOY)


def give_one(root: Path, extensions: str, id: str = "ana") -> str:
    (root / "course.toml").write_text(TEXT.format(extensions=extensions))
    return give(root, "toy", id, UNTIL, by="Bo", now=NOW)


@pytest.mark.parametrize(
    ("extensions", "before"),
    [
        ("", ""),
        ("extensions = { cy = 2026-12-01T10:00:00 }", ""),
        ("extensions = { ana = 2026-12-01T10:00:00 }", "2026-12-01 10:00:00"),
        ("\n[homework.toy.extensions]\nana = 2026-12-01T10:00:00 # Di, 2026-11-01", "2026-12-01"),
    ],
)
def test_a_date_is_written_beside_what_is_there(root: Path, extensions: str, before: str) -> None:
    """In any table, other dates and all comments stay; the new line records who and when."""
    assert give_one(root, extensions).startswith(before)
    text = (root / "course.toml").read_text()
    assert "ana = 2026-12-05T12:00:00 # Bo, 2026-11-27 09:00" in text
    assert "# at the top of every report" in text
    assert "# What a late submission costs." in text
    kept = course.read(root).homework["toy"].extensions
    assert kept["ana"] == UNTIL
    assert ("cy" in kept) == ("cy" in extensions)


def test_two_that_are_given_at_once_are_both_kept(root: Path) -> None:
    """The second waits while another process changes the file."""
    path = root / course.FILE
    path.write_text(TEXT.format(extensions=""))
    second = threading.Thread(
        target=give, args=(root, "toy", "ana", UNTIL), kwargs={"by": "Bo", "now": NOW}
    )
    with files.locked(path):
        second.start()
        second.join(0.2)
        path.write_text(TEXT.format(extensions="extensions = { cy = 2026-12-01T10:00:00 }"))
    second.join()
    assert set(course.read(root).homework["toy"].extensions) == {"ana", "cy"}


@pytest.mark.parametrize("id", ["anna@uni.example", "12345", "o'neill", "日本", 'a"b'])
def test_every_id_is_a_key(root: Path, id: str) -> None:
    """An id may contain any character that TOML can quote."""
    give_one(root, "", id)
    assert course.read(root).homework["toy"].extensions == {id: UNTIL}


def test_a_homework_without_dates_is_refused(root: Path) -> None:
    """There is no due date to extend, and course.toml stays as it was."""
    path = root / "course.toml"
    path.write_text(TEXT.format(extensions=""))
    with pytest.raises(UserError, match="no due date"):
        give(root, "other", "ana", UNTIL, by="Bo", now=NOW)
    assert path.read_text() == TEXT.format(extensions="")


def test_what_would_not_be_valid_is_taken_back(root: Path) -> None:
    """If the extension would make course.toml invalid, the file stays the same, byte for byte."""
    path = root / "course.toml"
    path.write_text(TEXT.format(extensions="") + "\n[homework.toy.unknown]\n")
    before = path.read_text()
    with pytest.raises(UserError):
        give(root, "toy", "ana", UNTIL, by="Bo", now=NOW)
    assert path.read_text() == before


@pytest.mark.parametrize(
    "extensions",
    [
        "extensions = { ana = 2026-12-01T10:00:00, cy = 2026-12-02T10:00:00 }",
        "\n[homework.toy.extensions]\ncy = 2026-12-02T10:00:00\nana = 2026-12-01T10:00:00 # Di",
    ],
)
def test_an_extension_is_taken_back(root: Path, extensions: str) -> None:
    """Only that person's is gone, and the earlier date is returned for the log."""
    (root / "course.toml").write_text(TEXT.format(extensions=extensions))
    assert give(root, "toy", "ana", None, by="Bo", now=NOW) == "2026-12-01 10:00:00"
    assert list(course.read(root).homework["toy"].extensions) == ["cy"]
    assert "# What a late submission costs." in (root / "course.toml").read_text()


def test_the_last_extension_leaves_course_toml_valid(root: Path) -> None:
    """Giving one and taking it back leaves no empty table."""
    give_one(root, "")
    give(root, "toy", "ana", None, by="Bo", now=NOW)
    assert course.read(root).homework["toy"].extensions == {}
    assert "extensions" not in (root / "course.toml").read_text()


def test_somebody_without_an_extension_has_none_to_take_back(root: Path) -> None:
    """The file stays as it is."""
    (root / "course.toml").write_text(TEXT.format(extensions=""))
    with pytest.raises(UserError, match="ana has no extension of toy"):
        give(root, "toy", "ana", None, by="Bo", now=NOW)
    assert (root / "course.toml").read_text() == TEXT.format(extensions="")


def test_a_person_has_one_extension_whatever_they_are_called(root: Path) -> None:
    """A date under another name of the roster's is replaced, not doubled."""
    (root / "roster.csv").write_text("id,name,email\nana,Ana Lima,ana@uni.example\n")
    old = '\n[homework.toy.extensions]\n"ana@uni.example" = 2026-12-01T10:00:00'
    assert give_one(root, old) == "2026-12-01 10:00:00"
    assert course.read(root).homework["toy"].extensions == {"ana": UNTIL}
