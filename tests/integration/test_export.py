"""export: from a folder of marks to the files that Canvas and Moodle take back."""

import io
import zipfile
from pathlib import Path

import pytest

from autograder.store import defences
from autograder.store.defences import Defence, MarkedSheet
from tests.command_line import run
from tests.exports import packed
from tests.gradebooks import make_course
from tests.graded import put
from tests.helpers import TOY

pytestmark = pytest.mark.slow
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


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a course with marks: one whole, one that waits for a person."""
    place = make_course(tmp_path / "course", like=TOY)
    put(place / "graded", "501", {"count": 10, "mean": 7.5, "argue": 9})
    put(place / "graded", "502", {"count": 10, "mean": 0, "argue": None})
    return place


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8-sig")
    return path


def test_canvas_gets_marks_and_feedback(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Marks that are there are overwritten on demand alone; what waits stays empty."""
    graded, gradebook = course / "graded", written(course / "canvas.csv", CANVAS)
    words = ("export", graded, "--canvas", gradebook, "--course", course)
    status, out, err = run(capsys, *words)
    assert status == 2
    assert "501: 4 -> 26.5" in out
    assert "1 mark would take the place of another, so nothing was written; --yes" in err
    assert not (graded / "canvas.csv").exists()
    status, out, err = run(capsys, *words, "--yes")
    assert status == 0, err
    new = (graded / "canvas.csv").read_text(encoding="utf-8-sig")
    assert new == CANVAS.replace("One,4", "One,26.5")
    assert "502: no mark is copied (1 mark still waits)" in err
    assert "no feedback: Canvas takes it under the names" in out
    submissions = packed(
        course / "submissions.zip",
        {"exampleada_501_9001_toy.ipynb": b"", "sampleben_502_9002_toy.ipynb": b""},
    )
    status, out, err = run(capsys, *words, "--yes", "--submissions", submissions)
    assert status == 0, err
    names = zipfile.ZipFile(graded / "canvas-feedback.zip").namelist()
    assert names == ["student_501_9001_feedback.ipynb"]


def test_moodle_gets_marks_and_pages(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each page under the number that Moodle gives a person in this assignment."""
    graded, sheet = course / "graded", written(course / "moodle.csv", MOODLE)
    words = ("export", graded, "--moodle", sheet, "--course", course, "--yes")
    status, _, err = run(capsys, *words)
    assert status == 0, err
    new = (graded / "moodle.csv").read_text(encoding="utf-8-sig")
    assert new == MOODLE.replace("4.00", "26.5")
    with zipfile.ZipFile(io.BytesIO((graded / "moodle-feedback.zip").read_bytes())) as archive:
        (name,) = archive.namelist()
        assert name == "Participant_501_assignfeedback_file_report.html"
        assert archive.read(name) == b"<html>501</html>"


def test_a_score_of_other_points_is_left_to_a_person(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The platform divides all scores by one number; a sheet that is not back is not final either."""
    graded = course / "graded"
    put(graded, "503", {"count": 10, "mean": 10, "argue": 10})
    sheet = Defence(5, 5, {1: MarkedSheet("0123AB", ("A",), 1, 0, 1.0)})
    defences.write(graded / "501", sheet)
    gradebook = written(course / "canvas.csv", CANVAS)
    words = ("export", graded, "--canvas", gradebook, "--course", course, "--yes")
    status, out, err = run(capsys, *words)
    assert status == 0, err
    assert "501: 4 -> 31.5" in out
    assert "503: no mark is copied (of 30 points and not of 35)" in err
    defences.write(graded / "503", Defence(5, None, {}))
    status, out, err = run(capsys, *words)
    assert "503: no mark is copied (1 mark still waits)" in err
    defences.write(graded / "503", sheet)
    status, out, err = run(capsys, *words)
    assert "503: empty -> 35" in out


def test_what_cannot_be_exported_is_one_line(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two platforms, none, an unknown person, a name to leave out that is not there."""
    graded, sheet = course / "graded", written(course / "moodle.csv", MOODLE)
    base = ("export", graded, "--course", course)
    put(graded, "zoe", {"count": 1})
    for words, said in [
        ((), "give the file that the platform exported"),
        (("--moodle", sheet, "--canvas", sheet), "give the file that the platform exported"),
        (("--moodle", sheet), "has no line for zoe; nothing was written"),
        (("--moodle", sheet, "--without", "ada"), "no submission has this name"),
        (("--moodle", sheet, "--submissions", sheet), "--submissions goes with --canvas"),
        (("--canvas", sheet), "this is not a gradebook of Canvas"),
    ]:
        status, _, err = run(capsys, *base, *words)
        assert status == 2
        assert said in err.splitlines()[-1]
    status, _, err = run(capsys, *base, "--moodle", sheet, "--without", "zoe", "--yes")
    assert status == 0, err
