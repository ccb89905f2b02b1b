"""term: several folders of marks, over all ids of a person, become one table and a page each."""

import csv
import hashlib
import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import nbformat
import pytest

from autograder.course.people import parsed
from autograder.platforms.nbgrader.exchange import SECRET
from autograder.records.facts import Receipt
from autograder.staff.defence import marked_sheets
from autograder.staff.defence.marked_sheets import Defence, MarkedSheet
from autograder.staff.term.returned import for_canvas
from tests.command_line import run
from tests.exports import packed
from tests.gradebooks import call, make_course
from tests.graded import put
from tests.helpers import TOY

pytestmark = pytest.mark.slow
ROSTER = """id,name,email,canvas
a001,Ada,ada@example.org,501
b002,Ben,ben@example.org,502
c003,Chi,chi@example.org,503
"""
SETTINGS = """
[late]
slip_days = 3
[total]
weights = { toy = 1, other = 3 }
[homework.toy]
due = 2026-10-01T12:00:00
[homework.other]
due = 2026-11-01T12:00:00
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum grade,Last modified (grade)
Participant 77,Ada,ada@example.org,-,,100.00,-
Participant 78,Ben,ben@example.org,-,,100.00,-
Participant 79,Chi,chi@example.org,-,,100.00,-
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    place = make_course(tmp_path / "course", like=TOY)
    for folder in ("source", "release"):
        copied = place / folder / "other"
        (place / folder / "toy").rename(copied)
        (copied / "toy.ipynb").rename(copied / "other.ipynb")
        for path in (TOY / folder / "toy").rglob("*"):
            target = place / folder / "toy" / path.relative_to(TOY / folder / "toy")
            if path.is_file() and "__pycache__" not in path.parts:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
    (place / "roster.csv").write_text(ROSTER)
    (place / "course.toml").write_text((place / "course.toml").read_text() + SETTINGS)
    return place


def test_a_term_of_two_homeworks(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One has Canvas's numbers and one the roster's ids; days, drops and what is missing are reported."""
    one, two = course / "one", course / "two"
    late = Receipt(datetime(2026, 10, 2, 13, tzinfo=UTC), people=("501",))
    put(one, "501", {"count": 10, "mean": 5}, late="Late.", receipt=late)
    put(one, "502", {"count": 10, "mean": None})
    put(two, "a001", {"count": 10, "mean": 10, "bonus": 2}, homework="other", extra=("bonus",))
    out = course / "term"
    words = ("term", one, two, "--out", out, "--course", course)
    status, said, err = run(capsys, *words)
    assert status == 0, err
    assert "people: 3, homeworks: 2, unfinished totals: 1" in said
    ada, ben, chi = csv.DictReader(io.StringIO((out / "term.csv").read_text(encoding="utf-8-sig")))
    # (1 * 15/20 + 3 * 22/20) / 4
    assert (ada["id"], ada["total"], ada["extra credit"]) == ("a001", "101.25", "2")
    assert (ada["toy late days"], ada["slip days left"]) == ("2", "1")
    assert (ben["total"], ben["missing"], ben["state"]) == (
        "12.5",
        "other",
        "toy: 1 answer is not marked yet",
    )
    assert (chi["total"], chi["missing"], chi["state"]) == ("0", "toy, other", "complete")
    text = (out / "a001" / "term.html").read_text()
    assert "101.25 %" in text
    assert "Slip days left: 1 of 3." in text
    assert "Ada" not in text
    worksheet = course / "moodle.csv"
    worksheet.write_text(MOODLE)
    status, _, err = run(capsys, *words, "--moodle", worksheet)
    assert status == 0, err
    with zipfile.ZipFile(out / "moodle-feedback.zip") as archive:
        assert archive.namelist()[0] == "Participant_77_assignfeedback_file_report.html"
        assert archive.read(archive.namelist()[0]).decode() == text


def test_somebody_who_left_moodle_stops_nobody(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A note names them; a worksheet of nobody here is refused, without an option that `term` lacks."""
    put(course / "one", "a001", {"count": 10, "mean": 5})
    worksheet, out = course / "moodle.csv", course / "term"
    words = ("term", course / "one", "--out", out, "--course", course, "--moodle", worksheet)
    worksheet.write_text(MOODLE.replace("chi@", "zoe@"))
    status, _, err = run(capsys, *words)
    assert status == 0, err
    assert f"note: no page for 1, because {worksheet} has no line for them: c003" in err
    assert (out / "term.csv").is_file()
    with zipfile.ZipFile(out / "moodle-feedback.zip") as archive:
        assert len(archive.namelist()) == 2
    worksheet.write_text(MOODLE.replace("@example.org", "@elsewhere.org"))
    status, _, err = run(capsys, *words)
    assert status == 2
    assert "it has no line for a001, b002, c003; nothing was written" in err
    assert "--without" not in err


def test_an_excuse_for_nobody_and_from_everything_is_said(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistyped id has a note, as for extensions; somebody excused from everything has no total."""
    put(course / "one", "a001", {"count": 10, "mean": 5})
    text = (course / "course.toml").read_text()
    excused = '[total]\nexcused = { toy = ["001", "B002"] }\n'
    (course / "course.toml").write_text(text.replace("[total]\n", excused))
    out = course / "term"
    status, said, err = run(capsys, "term", course / "one", "--out", out, "--course", course)
    assert status == 0, err
    assert "note: course.toml: [total] excused: toy: roster.csv has no id '001'" in err
    assert "B002" not in err
    assert "unfinished totals: 1" in said
    _, ben, chi = csv.DictReader(io.StringIO((out / "term.csv").read_text(encoding="utf-8-sig")))
    assert (ben["total"], ben["state"]) == ("", "no total yet: excused from every homework")
    assert (chi["total"], chi["state"]) == ("0", "complete")


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Term (77)
    Points Possible,,,,,100
Ada,1501,,a001,One,
Ben,1502,,b002,One,
Chi,1503,,c003,One,
"""


@pytest.mark.parametrize("listed", [False, True])
def test_canvas_gets_pages_under_the_names_of_submissions(
    course: Path, capsys: pytest.CaptureFixture[str], listed: bool
) -> None:
    """roster.csv has Canvas's numbers, or the gradebook that Canvas exported has."""
    one, out, number = course / "one", course / "term", 1501 if listed else 501
    put(one, "a001", {"count": 10, "mean": 5})
    put(one, "b002", {"count": 10, "mean": 0})
    names = [f"exampleada_{number}_9001_toy.ipynb", f"sampleben_LATE_{number + 1}_9002_toy.ipynb"]
    submissions = packed(course / "submissions.zip", dict.fromkeys(names, b""))
    gradebook = course / "canvas.csv"
    gradebook.write_text(CANVAS)
    words = ("term", one, "--out", out, "--course", course, "--submissions", submissions)
    status, _, err = run(capsys, *words, *(("--ids", gradebook) if listed else ()))
    assert status == 0, err
    assert f"note: no page for 1, because {submissions} has no notebook: c003" in err
    with zipfile.ZipFile(out / "canvas-feedback.zip") as archive:
        first, second = archive.namelist()
        assert first == f"student_{number}_9001_feedback.ipynb"
        assert second == f"student_{number + 1}_9002_feedback.ipynb"
        book = nbformat.reads(archive.read(first).decode(), as_version=4)
    assert "**75 %**" in book.cells[0].source
    assert "- `mean`: 5 of 10" in book.cells[1].source


def test_a_number_that_canvas_s_list_lacks_is_nobody_s(tmp_path: Path) -> None:
    """It may be the id of somebody else in roster.csv."""
    names = ["ada_1501_9001_toy.ipynb", "zed_502_9002_toy.ipynb", "chi_1503_9003_toy.ipynb"]
    submissions = packed(tmp_path / "submissions.zip", dict.fromkeys(names, b""))
    (tmp_path / "canvas.csv").write_text(CANVAS)
    pages = {"a001": "Ada", "502": "Ben", "c003": "Chi"}
    roster = parsed("id\na001\n502\nc003\n")
    data, lacking = for_canvas(submissions, tmp_path / "canvas.csv", pages, roster)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {archive.read(name) for name in archive.namelist()} == {b"Ada", b"Chi"}
    assert lacking == ["502"]


def test_nbgrader_releases_pages_as_feedback(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As feedback of a homework; a person without a submission has none, nor has a forged secret."""
    one, out = course / "one", course / "term"
    for id in ("a001", "b002", "c003"):
        put(one, id, {"count": 10, "mean": 5})
    for id in ("a001", "b002"):
        (course / "submitted" / id / "toy").mkdir(parents=True)
    (course / "submitted" / "a001" / "toy" / SECRET).write_text("of-ada")
    (course / "submitted" / "b002" / "toy" / SECRET).symlink_to(course / "roster.csv")
    words = ("term", one, "--out", out, "--course", course, "--nbgrader")
    status, _, err = run(capsys, *words, "other")
    assert status == 2
    assert "--nbgrader other: none of these folders has its results; give one of toy" in err
    status, _, err = run(capsys, *words, "toy")
    assert status == 0, err
    said = "note: no page for 2, because nbgrader collected no submission of toy: b002, c003"
    assert said in err
    assert not (out / "feedback" / "b002").exists()
    (tmp_path / "exchange").mkdir(mode=0o777)
    (tmp_path / "exchange").chmod(0o777)
    settings = (
        f"c.CourseDirectory.course_id = 'toys'\nc.Exchange.root = '{tmp_path / 'exchange'}'\n"
    )
    config = course / "nbgrader_config.py"
    config.write_text(f"{config.read_text()}\n{settings}")
    place = f"--CourseDirectory.feedback_directory={out / 'feedback'}"
    call(course, "release_feedback", "toy", place)
    (page,) = (tmp_path / "exchange" / "toys" / "feedback").glob("*.html")
    assert page.stem == hashlib.md5(b"of-adatoy").hexdigest()
    assert page.read_text() == (out / "a001" / "term.html").read_text()


@pytest.mark.parametrize("late", [False, True])
def test_a_defence_is_of_those_who_have_a_sheet(
    course: Path, capsys: pytest.CaptureFixture[str], late: bool
) -> None:
    """Each total is of the person's own points; a sheet that is not back keeps a total open."""
    one = course / "one"
    for id in ("a001", "b002", "c003"):
        put(one, id, {"count": 10, "mean": 5})
    marked_sheets.write(
        one / "a001", Defence(10, 7.5, {1: MarkedSheet("0123AB", ("A",), 1, 0, 0.75)})
    )
    # When the first sheets were marked, this one was not back.
    marked_sheets.write(
        one / "b002",
        Defence(10, 10, {1: MarkedSheet("4567CD", ("A",), 1, 0, 1.0)})
        if late
        else Defence(10, None, {}),
    )
    out = course / "term"
    status, _, err = run(capsys, "term", one, "--out", out, "--course", course)
    assert status == 0, err
    ada, ben, chi = csv.DictReader(io.StringIO((out / "term.csv").read_text(encoding="utf-8-sig")))
    assert (ada["total"], ada["state"]) == ("75", "complete")  # 22.5 of 30
    assert (chi["total"], chi["state"]) == ("75", "complete")  # 15 of 20
    assert (ben["total"], ben["state"]) == (
        ("83.33", "complete") if late else ("50", "toy: 1 answer is not marked yet")
    )


def test_what_is_in_doubt_is_one_line(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two submissions of one person, and a homework without a weight."""
    one = course / "one"
    put(one, "501", {"count": 10})
    put(one, "a001", {"count": 0})
    words = ("term", one, "--out", course / "term", "--course", course)
    status, _, err = run(capsys, *words)
    assert status == 2
    assert "a001 has two submissions, " in err
    assert err.count("one/a001; the latter counts") == 1
    assert "no folder of other: the total covers the others" in err
    text = (course / "course.toml").read_text()
    (course / "course.toml").write_text(text.replace("toy = 1, ", ""))
    status, _, err = run(capsys, *words)
    assert status == 2
    assert "[total.weights] has no weight for toy" in err
    (course / "course.toml").write_text(text.replace("toy = 1, ", "tox = 1, "))
    status, _, err = run(capsys, *words)
    assert status == 2
    assert "[total.weights]: tox is not a homework in source/" in err
