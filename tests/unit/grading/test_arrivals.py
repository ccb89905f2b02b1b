"""arrivals and watching: what is new in a folder or an exchange, and how often a day it is graded."""

import hashlib
import os
import time
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from autograder.course import course
from autograder.grading.arrivals import Arrivals
from autograder.grading.watching import STATE, Limit
from autograder.submission import discover
from tests.helpers import COURSE

ROSTER: dict[str, dict[str, str]] = {"ada": {}, "root": {}}


def put(path: Path, text: str = "{}") -> Path:
    """Write a file that nobody is writing any more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    settled = time.time() - 60
    os.utime(path, (settled, settled))
    return path


def submitted(exchange: Path, student: str, at: str, secret: str = "s3cret") -> Path:
    """Put a submission into an exchange as nbgrader does."""
    folder = exchange / "inbound" / f"{student}+toy+{at} UTC+x7"
    put(folder / "toy.ipynb")
    (folder / "submission_secret.txt").write_text(secret)
    return folder


def test_an_exchange_has_each_persons_newest_submission(tmp_path: Path) -> None:
    """With nbgrader's own time; other homework and links are left out."""
    submitted(tmp_path, "ada", "2026-03-01 10:00:00.000001")
    newest = submitted(tmp_path, "ada", "2026-03-02 09:00:00.000001")
    put(tmp_path / "inbound" / "ada+other+2026-03-03 09:00:00 UTC+x" / "toy.ipynb")
    (tmp_path / "inbound" / "ben+toy+2026-03-03 09:00:00 UTC+x").symlink_to(newest)
    (one,), complaints = Arrivals(tmp_path, "toy", {}).new()
    assert complaints == []
    assert (one.student, one.path) == ("ada", newest / "toy.ipynb")
    assert one.receipt is not None
    assert one.receipt.at == datetime(2026, 3, 2, 9, 0, 0, 1, tzinfo=UTC)


def test_an_exchange_knows_an_imported_homework_by_nbgraders_names(tmp_path: Path) -> None:
    """Of an assignment with several notebooks the one that was imported."""
    folder = tmp_path / "inbound" / "ada+ps1+2026-03-01 10:00:00 UTC+x"
    for name in ("toy", "second"):
        put(folder / f"{name}.ipynb")
    (one,), complaints = Arrivals(tmp_path, "ps1_toy", {}, collected="ps1/toy").new()
    assert (one.student, one.path, complaints) == ("ada", folder / "toy.ipynb", [])


def test_a_person_s_folder_may_have_several_homeworks(tmp_path: Path) -> None:
    """By their names, as for `grade`."""
    for name in ("toy", "next"):
        put(tmp_path / "ada" / f"{name}.ipynb")
    found, complaints = Arrivals(tmp_path, "toy", {}, others=("next", "toy")).new()
    assert ([str(one.path) for one in found], complaints) == (
        [str(tmp_path / "ada" / "toy.ipynb")],
        [],
    )


def test_what_belongs_to_one_student_is_no_submission_of_another(tmp_path: Path) -> None:
    """The folder's owner is a person of the roster, and not the one whose name it bears."""
    submitted(tmp_path, "ada", "2026-03-01 10:00:00")
    found, complaints = Arrivals(tmp_path, "toy", ROSTER).new()
    assert found == []
    assert "belongs to root and bears the name of ada; it is left out" in complaints[0]


def test_a_report_goes_where_nbgrader_looks_for_it(tmp_path: Path) -> None:
    """Under a name that only the student's secret gives; without a secret nowhere."""
    submitted(tmp_path, "ada", "2026-03-01 10:00:00")
    arrivals = Arrivals(tmp_path, "toy", {})
    (one,), _ = arrivals.new()
    report = put(tmp_path / "report.html", "<p>5 points")
    back = arrivals.give_back(one, report)
    name = hashlib.md5(b"s3crettoy").hexdigest()
    assert back == tmp_path / "feedback" / f"{name}.html"
    assert back.read_text() == "<p>5 points"
    assert back.stat().st_mode & 0o777 == 0o644
    assert back.parent.stat().st_mode & 0o777 == 0o711
    assert isinstance(one.path, Path)
    (one.path.parent / "submission_secret.txt").unlink()
    assert arrivals.give_back(one, report) is None


def test_a_folder_is_looked_at_again_and_again(tmp_path: Path) -> None:
    """A file comes once, and again when it changed; one that is being written has to wait."""
    place, back = tmp_path / "in", tmp_path / "back"
    place.mkdir()
    arrivals = Arrivals(place, "toy", {}, back)
    assert arrivals.new() == ([], [])
    path = put(place / "ada" / "toy.ipynb")
    put(place / "ben" / "toy.ipynb")
    assert [one.student for one in arrivals.new()[0]] == ["ada", "ben"]
    assert arrivals.new()[0] == []
    path.write_text("{  }")
    assert arrivals.new()[0] == []
    put(path, "{  }")
    (one,), _ = arrivals.new()
    arrivals.later(one)
    assert arrivals.new()[0] == [one]
    report = put(tmp_path / "report.html", "r")
    assert arrivals.give_back(one, report) == back / "ada" / "toy.html"
    assert Arrivals(place, "toy", {}).give_back(one, report) is None


@pytest.mark.parametrize("name", ["..", ".lock", "-rf", "a\n\x1b[2J", "grades.csv"])
def test_a_folder_s_name_that_is_no_id_is_left_out(tmp_path: Path, name: str) -> None:
    """It would become a folder of results; the complaint has no control character."""
    submitted(tmp_path, name, "2026-03-01 10:00:00")
    submitted(tmp_path, "ada", "2026-03-01 10:00:00")
    (one,), (complaint,) = Arrivals(tmp_path, "toy", {}).new()
    assert one.student == "ada"
    assert "its name has no id in it; it is left out" in complaint
    assert complaint.isprintable()


def test_a_zip_and_what_is_none_come_once(tmp_path: Path) -> None:
    """And again when they changed: each look would count as a grading of the day."""
    arrivals = Arrivals(tmp_path, "toy", {})
    for text in ("{}", "{  }"):
        with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
            archive.writestr("toy.ipynb", text)
        put(tmp_path / "ben" / f"{len(text)}.docx")
        assert [one.student for one in arrivals.new()[0]] == ["ada", "ben"]
        assert arrivals.new()[0] == []


def test_what_vanishes_while_it_is_looked_at_comes_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that goes after it was listed, and a whole folder, as of a disk that is away."""
    place = tmp_path / "in"
    path, find = put(place / "ada" / "toy.ipynb"), discover.find
    put(place / "ben" / "toy.ipynb")

    def and_gone(*words: Any, **options: Any) -> Any:
        found = find(*words, **options)
        path.unlink(missing_ok=True)
        return found

    arrivals = Arrivals(place, "toy", {})
    with monkeypatch.context() as patch:
        patch.setattr(discover, "find", and_gone)
        found, complaints = arrivals.new()
    assert ([one.student for one in found], complaints) == (["ben"], [])
    place.rename(tmp_path / "away")
    found, (complaint,) = arrivals.new()
    assert found == []
    assert complaint == f"{place}: it cannot be looked through (No such file or directory)"
    (tmp_path / "away").rename(place)
    put(path)
    assert [one.student for one in arrivals.new()[0]] == ["ada"]


def test_a_day_has_a_limit_that_outlives_the_watch(tmp_path: Path) -> None:
    """Each person's gradings of a day count, also after a new start; a broken count is a new one."""
    settings = replace_limit(2)
    limit = Limit(tmp_path, settings)
    for expected in (False, False, True):
        assert limit.reached("ada") is expected
        limit.count("ada")
    assert Limit(tmp_path, settings).reached("ada")
    assert not Limit(tmp_path, settings).reached("ben")
    assert not Limit(tmp_path, replace_limit(0)).reached("ada")
    (tmp_path / STATE).write_text('{"day": "2026-01-01", "graded": {"ada": 9}}')
    assert not Limit(tmp_path, settings).reached("ada")
    (tmp_path / STATE).write_text("[[")
    assert not Limit(tmp_path, settings).reached("ada")


def replace_limit(a_day: int) -> course.Course:
    return structs.replace(COURSE, gradescope=course.Platform(attempts_a_day=a_day))
