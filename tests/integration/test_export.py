"""export: from a folder of marks to the files that Canvas and Moodle take back."""

import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.staff.defence import marked_sheets
from autograder.staff.defence.marked_sheets import Defence, MarkedSheet
from autograder.store import files
from tests.command_line import run
from tests.exports import packed
from tests.gradebooks import give_all, make_course
from tests.graded import put
from tests.helpers import TOY
from tests.marking_course import make_class

pytestmark = pytest.mark.slow
Export = Callable[..., tuple[str, str]]
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Toy: numbers above zero (77)
    Points Possible,,,,,30
"Example, Ada",501,,ada,One,4
"Sample, Ben",502,,ben,One,
"Muster, Chi",503,,chi,One,
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade)
Participant 501,Ada,ada@example.org,Submitted,4.00,30.00,-
Participant 502,Ben,ben@example.org,Submitted,,30.00,-
Participant 503,Chi,chi@example.org,Submitted,,30.00,-
"""
WORKSHEET = """Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade)
Participant 501,Ada,ada@example.org,Submitted,,7.00,-
Participant 502,Ben,ben@example.org,Submitted,,7.00,-
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a course with marks: one whole, one that is still to be marked by hand."""
    place = make_course(tmp_path / "course", like=TOY)
    put(place / "graded", "501", {"count": 10, "mean": 7.5, "argue": 9})
    put(place / "graded", "502", {"count": 10, "mean": 0, "argue": None})
    return place


@pytest.fixture
def export(course: Path, capsys: pytest.CaptureFixture[str]) -> Export:
    """Run the verb on this course's marks; return what it printed, on both streams."""

    def export(*words: object, status: int = 0) -> tuple[str, str]:
        ended, out, err = run(capsys, "export", course / "graded", "--course", course, *words)
        assert ended == status, err
        return out, err

    return export


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8-sig")
    return path


def packed_in(course: Path) -> dict[str, str]:
    """Return the files of feedback for Moodle, by name."""
    with zipfile.ZipFile(course / "graded" / "moodle-feedback.zip") as archive:
        return {name: archive.read(name).decode() for name in sorted(archive.namelist())}


def test_canvas_gets_marks_and_feedback(course: Path, export: Export) -> None:
    """Existing marks are overwritten only on demand; open ones stay empty."""
    graded, gradebook = course / "graded", written(course / "canvas.csv", CANVAS)
    words = ("--canvas", gradebook)
    out, err = export(*words, status=2)
    assert "501: 4 -> 26.5" in out
    assert "1 mark would be overwritten, so nothing was written; --yes" in err
    assert not (graded / "canvas.csv").exists()
    out, err = export(*words, "--yes")
    new = (graded / "canvas.csv").read_text(encoding="utf-8-sig")
    assert new == CANVAS.replace("One,4", "One,26.5")
    assert "502: no mark is copied (1 answer is not marked yet)" in err
    assert "no feedback: Canvas needs the names" in out
    submissions = packed(
        course / "submissions.zip",
        {"exampleada_501_9001_toy.ipynb": b"", "sampleben_502_9002_toy.ipynb": b""},
    )
    export(*words, "--yes", "--submissions", submissions)
    names = zipfile.ZipFile(graded / "canvas-feedback.zip").namelist()
    assert names == ["student_501_9001_feedback.ipynb"]


def test_feedback_goes_to_the_gradebook_s_numbers(course: Path, export: Export) -> None:
    """Ada's id is Ben's number in Canvas."""
    text = CANVAS.replace("501,,ada", "777,501,ada").replace("502,,ben", "501,502,ben")
    names = ("exampleada_777_9001_toy.ipynb", "sampleben_501_9002_toy.ipynb")
    submissions = packed(course / "submissions.zip", dict.fromkeys(names, b""))
    gradebook = written(course / "canvas.csv", text)
    export("--canvas", gradebook, "--yes", "--submissions", submissions)
    with zipfile.ZipFile(course / "graded" / "canvas-feedback.zip") as archive:
        assert archive.namelist() == ["student_777_9001_feedback.ipynb"]


def test_moodle_gets_marks_and_pages(course: Path, export: Export) -> None:
    """Each page under the number that Moodle gives a person in this assignment."""
    graded, sheet = course / "graded", written(course / "moodle.csv", MOODLE)
    export("--moodle", sheet, "--yes")
    new = (graded / "moodle.csv").read_text(encoding="utf-8-sig")
    assert new == MOODLE.replace("4.00", "26.5")
    ((name, page),) = packed_in(course).items()
    assert name == "Participant_501_assignfeedback_file_report.html"
    assert "<td>26.5 / 30</td>" in page  # the marks in moodle.csv, not the older file's
    assert (graded / "501" / files.REPORT).read_text() not in page


def test_moodle_s_pages_have_people_s_latest_marks_and_comments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever marks after `report` and exports at once gives back those marks in the table and in the pages."""
    course = make_class(tmp_path / "course", ["It is 0 / 0.", "It is undefined."])
    graded, sheet = course / "graded", written(course / "moodle.csv", WORKSHEET)
    (course / "roster.csv").write_text("id,moodle\ns0000,501\ns0001,502\n")
    run(capsys, "report", graded, "--course", course)
    give_all(course, "toy", "argue", {"s0000": (2, "Say why."), "s0001": (0.25, "Which value?")})
    words = ("export", graded, "--moodle", sheet, "--course", course, "--yes")
    status, _, err = run(capsys, *words)
    assert status == 0, err
    new = (graded / "moodle.csv").read_text(encoding="utf-8-sig")
    assert re.findall(r"Submitted,(.*),-", new) == ["2,7.00", "0.25,7.00"]
    pages = packed_in(course).values()
    for page, earned, said in zip(pages, ("2", "0.25"), ("Say why.", "Which value?"), strict=True):
        assert f"<td>{earned} / 7</td>" in page
        assert said in page


def test_a_page_without_readable_facts_is_named(course: Path, export: Export) -> None:
    """Everybody else's page is in the zip; without a log, the page is the file as it is."""
    graded, sheet = course / "graded", written(course / "moodle.csv", MOODLE)
    put(graded, "503", {"count": 10, "mean": 0, "argue": 1})
    (graded / "501" / files.LOG).unlink()
    (graded / "503" / files.LOG).write_text("{")
    _, err = export("--moodle", sheet, "--yes")
    assert f"autograder: {graded / '503'}: no feedback (it is not JSON" in err
    assert list(packed_in(course).values()) == ["<html>501</html>"]
    (graded / "501" / files.REPORT).unlink()
    _, err = export("--moodle", sheet, "--yes")
    assert f"autograder: {graded / '501'}: no feedback (report.html is missing; " in err


def test_a_score_of_other_points_is_left_to_a_person(course: Path, export: Export) -> None:
    """The platform divides all scores by one number; a sheet that is not back is not final either."""
    graded = course / "graded"
    put(graded, "503", {"count": 10, "mean": 10, "argue": 10})
    sheet = Defence(5, 5, {1: MarkedSheet("0123AB", ("A",), 1, 0, 1.0)})
    marked_sheets.write(graded / "501", sheet)
    gradebook = written(course / "canvas.csv", CANVAS)
    words = ("--canvas", gradebook, "--yes")
    out, err = export(*words)
    assert "501: 4 -> 31.5" in out
    assert "503: no mark is copied (out of 30 points instead of 35)" in err
    marked_sheets.write(graded / "503", Defence(5, None, {}))
    _, err = export(*words)
    assert "503: no mark is copied (1 answer is not marked yet)" in err
    marked_sheets.write(graded / "503", sheet)
    out, _ = export(*words)
    assert "503: empty -> 35" in out


def test_one_mark_above_the_maximum_stops_nobody_else_s(course: Path, export: Export) -> None:
    """It is named and left out, or cut; an earlier export is gone when a new one fails."""
    graded = course / "graded"
    shutil.rmtree(graded / "502")
    put(graded, "502", {"count": 10, "mean": 0, "argue": 10})
    put(graded, "503", {"count": 10, "mean": 10, "argue": 8})
    sheet = written(course / "moodle.csv", MOODLE.replace("30.00", "25.00").replace("4.00", ""))
    words = ("--moodle", sheet)
    _, err = export(*words)
    assert "note: 501: no mark is copied (Moodle silently drops 26.5 points" in err
    assert "note: 503: no mark is copied (Moodle silently drops 28 points" in err
    new = (graded / "moodle.csv").read_bytes()
    assert new == sheet.read_bytes().replace(
        b"Submitted,,25.00,-\nParticipant 503", b"Submitted,20,25.00,-\nParticipant 503"
    )
    assert [name.split("_")[1] for name in packed_in(course)] == ["502"]
    settings = course / "course.toml"
    settings.write_text(f"{settings.read_text()}\n[export]\ncap = true\n")
    out, err = export(*words)
    assert "501: empty -> 25" in out
    assert "note: 503: 28 points, written as 25" in err
    for wrong in (sheet.read_text().replace("Participant 502", "Participant 9"), "no worksheet"):
        assert (graded / "moodle.csv").exists()
        sheet.write_text(wrong)
        export(*words, status=2)
        assert not list(graded.glob("moodle*"))
        (graded / "moodle.csv").write_text("of an earlier export")
    (graded / "canvas-feedback.zip").write_text("of an earlier export")
    gradebook = written(graded / "canvas.csv", CANVAS)  # it is read before it is written anew
    export("--canvas", gradebook, "--yes")
    assert not (graded / "canvas-feedback.zip").exists()
    assert "One,26.5" in gradebook.read_text()


def test_missing_and_provisional_marks_follow_settings(course: Path, export: Export) -> None:
    """People who submitted nothing get a zero, but people who were left out do not."""
    graded, gradebook = course / "graded", written(course / "canvas.csv", CANVAS)
    words = ("--canvas", gradebook, "--yes")
    out, err = export(*words, "--provisional")
    assert "502: empty -> 10" in out
    assert "note: 502: the mark is provisional (1 answer is not marked yet)" in err
    assert "1 without a submission here, unchanged" in out
    settings = course / "course.toml"
    settings.write_text(f'{settings.read_text()}\n[export]\nmissing = "zero"\n')
    out, err = export(*words, "--without", "502")
    assert "503: empty -> 0" in out
    assert (
        "note: people without a submission here get 0 in their empty cells: 503; check whether "
        "any of them submitted in a group, since the files may name only one member"
    ) in err
    text = (graded / "canvas.csv").read_text(encoding="utf-8-sig")
    assert text == CANVAS.replace("One,4", "One,26.5").replace("chi,One,", "chi,One,0")


def test_everybody_who_gets_zero_is_named(course: Path, export: Export) -> None:
    """However many they are, since group members have to be found among them."""
    lines = "".join(f'"Doe, D",{number},,d{number},Two,\n' for number in range(600, 900))
    gradebook = written(course / "canvas.csv", CANVAS + lines)
    settings = course / "course.toml"
    settings.write_text(f'{settings.read_text()}\n[export]\nmissing = "zero"\n')
    _, err = export("--canvas", gradebook, "--yes")
    assert f"empty cells: 503, {', '.join(map(str, range(600, 900)))}; check" in err


def test_two_submissions_of_one_person_are_named(course: Path, export: Export) -> None:
    """As in every table: which of them counts, and which one is to go."""
    (course / "roster.csv").write_text("id,canvas\nbo,501\n")
    graded, gradebook = course / "graded", written(course / "canvas.csv", CANVAS)
    put(graded, "bo", {"count": 1})
    assert "bo has two submissions" in export("--canvas", gradebook, "--yes")[1]


def test_what_cannot_be_exported_is_one_line(course: Path, export: Export) -> None:
    """Two platforms, none, an unknown person, a name to leave out that is not there."""
    graded, sheet = course / "graded", written(course / "moodle.csv", MOODLE)
    put(graded, "zoe", {"count": 1})
    for words, said in [
        ((), "give the file that the platform exported"),
        (("--moodle", sheet, "--canvas", sheet), "give the file that the platform exported"),
        (("--moodle", sheet), "has no line for zoe; nothing was written"),
        (
            ("--moodle", sheet, "--without", "ada", "--without", "x"),
            "--without ada, x: no submission has this name; and moodle.csv: it has no line for zoe",
        ),
        (
            ("--moodle", sheet, "--without", "ada", "--without", "zoe"),
            "--without ada: no submission has this name",
        ),
        (("--moodle", sheet, "--submissions", sheet), "--submissions goes with --canvas"),
        (("--canvas", sheet), "this is not a Canvas gradebook"),
    ]:
        _, err = export(*words, status=2)
        assert said in err.splitlines()[-1]
    export("--moodle", sheet, "--without", "zoe", "--yes")
