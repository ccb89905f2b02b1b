"""platforms, fill: marks go into the right cells, and nothing else changes."""

import csv
from pathlib import Path

import pytest

from autograder.course.people import People
from autograder.exports import csv_table, fill, platforms
from autograder.exports.csv_table import CsvTable
from autograder.model import UserError

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Notes,Homework 1 (77),Homework 2 (78),Current Score
,,,,,,Manual Posting,,
    Points Possible,,,,,,60,40,(read only)
"Example, Ada",501,a001,ada,One,=note,12.00,,20
"=HYPERLINK(""x"")",502,b002,ben,One,,,3,30
"Muster, Chi",503,c003,+chi,One,,EX,,
"Student, Test",600,,test,One,,,,
"""
MOODLE = """Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed","Last modified (submission)","Online text","Last modified (grade)","Feedback comments"
"Participant 501",=cmd(),ada@example.org,Submitted,,60.00,Yes,-,"=1+1",-,=kept
"Participant 502",c003,ben@example.org,Submitted,3.00,60.00,Yes,-,,-,
"Participant 503","Chi Muster",chi@example.org,Submitted,,60.00,No,-,,-,
"""
GERMAN = (
    MOODLE.replace("Participant ", "Teilnehmer/in")
    .replace(",Grade,", ",Bewertung,")
    .replace(",3.00,", ',"3,00",')
    .replace("60.00", '"60,00"')
)
ROSTER = People.of(
    {
        "a001": {"name": "Ada", "email": "ada@example.org"},
        "b002": {"name": "Ben", "email": "ben@example.org"},
        "c003": {"name": "Chi", "email": "chi@example.org"},
    }
)


def made(tmp_path: Path, text: str) -> CsvTable:
    path = tmp_path / "export.csv"
    path.write_text(text, encoding="utf-8-sig")
    return csv_table.read(path)


def rows(one: CsvTable) -> list[list[str]]:
    text = one.bytes().decode("utf-8-sig")
    return list(csv.reader(text.splitlines()))


@pytest.mark.parametrize("names", [["501", "502"], ["a001", "b002"]], ids=["numbers", "roster"])
def test_canvas_s_columns_stay_and_one_is_filled(tmp_path: Path, names: list[str]) -> None:
    """The line of points, other assignments, a test student and notes are as they were."""
    before = made(tmp_path, CANVAS)
    columns = platforms.canvas(before, titles=("homework 1",))
    assert (columns.most, columns.first) == (60, 3)
    scores = dict(zip(names, (33.333333, 54.5), strict=True))
    what = fill.plan(before, columns, scores, People(), unfinished={})
    assert [(c.student, c.before, c.after) for c in what.changes] == [
        (names[0], "12.00", "33.33"),
        (names[1], "", "54.5"),
    ]
    assert what.overwritten == what.changes[:1]
    assert what.untouched == 2
    old, new = rows(before), rows(fill.filled(before, columns, what))
    different = {
        (r, c) for r, row in enumerate(old) for c, cell in enumerate(row) if new[r][c] != cell
    }
    assert different == {(3, 6), (4, 6), (4, 0)}
    assert new[4][0] == "'" + old[4][0]
    # What Canvas reads back stays: an id and a note that begin as formulas do.
    assert (new[5][3], new[3][5]) == ("+chi", "=note")
    assert fill.formulas_left(fill.filled(before, columns, what), columns) == 2


def test_excused_people_and_unfinished_marks_get_nothing(tmp_path: Path) -> None:
    """Staff decided the one; a person has still to decide the other."""
    before = made(tmp_path, CANVAS)
    columns = platforms.canvas(before, titles=("x",), column="77")
    scores = {"501": 12.0, "502": 9.0, "503": 50.0, "600": None}
    what = fill.plan(before, columns, scores, People(), unfinished={"502": "1 mark still waits"})
    assert what.left == {
        "502": "1 mark still waits",
        "503": "excused in Canvas",
        "600": "no score",
    }
    assert (what.changes, what.same) == ((), 1)


@pytest.mark.parametrize("text", [MOODLE, GERMAN], ids=["english", "german"])
def test_moodle_knows_people_by_number_or_address(tmp_path: Path, text: str) -> None:
    """A full name that is somebody else's id changes nothing."""
    before = made(tmp_path, text)
    columns = platforms.moodle(before)
    by_number = fill.whose(before, columns, ["501", "502"], People())
    by_roster = fill.whose(before, columns, ["a001", "b002"], ROSTER)
    assert list(by_number.values()) == list(by_roster.values()) == [1, 2]
    assert fill.whose(before, columns, ["c003"], ROSTER) == {"c003": 3}
    with pytest.raises(UserError, match="has no line for c003"):
        fill.whose(before, columns, ["c003"], People())
    what = fill.plan(before, columns, {"501": 54.5, "502": 3.0}, People(), unfinished={})
    (change,) = what.changes
    assert change.after == ("54,5" if text == GERMAN else "54.5")
    assert what.same == 1
    new = rows(fill.filled(before, columns, what))
    # Names and what students wrote cannot run; the feedback that Moodle reads back is as it was.
    assert (new[1][1], new[1][8], new[1][10]) == ("'=cmd()", "'=1+1", "=kept")


def test_moodle_would_drop_a_mark_above_its_maximum(tmp_path: Path) -> None:
    """It does so without a word, so a message of ours does not."""
    before = made(tmp_path, MOODLE)
    columns = platforms.moodle(before)
    with pytest.raises(UserError, match="502 has 61 points, and Moodle drops"):
        fill.plan(before, columns, {"502": 61.0}, People(), unfinished={})
    what = fill.plan(before, columns, {"503": 60.0}, People(), unfinished={})
    assert what.left == {"503": "locked in Moodle"}


def test_people_nobody_knows_and_doubles_are_refused(tmp_path: Path) -> None:
    """Nobody gets another person's marks, and nobody's are lost in silence."""
    before = made(tmp_path, CANVAS)
    columns = platforms.canvas(before, titles=("Homework 1",))
    with pytest.raises(UserError, match="has no line for zoe; nothing was written"):
        fill.whose(before, columns, ["501", "zoe"], People())
    twice = made(tmp_path, CANVAS.replace("502,b002", "501,b002"))
    with pytest.raises(UserError, match="has two lines for 501"):
        fill.whose(twice, columns, ["501"], People())
    roster = People.of({"ada": {"email": "a001"}})
    with pytest.raises(UserError, match="ada and a001 are one person"):
        fill.whose(before, columns, ["ada", "a001"], roster)


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("a,b,c,d\n", "", "this is not a gradebook of Canvas"),
        (CANVAS, "Homework 9", "no column is called Homework 9; give one with --column"),
        (CANVAS, "Current Score", "no column is called Current Score"),
        (CANVAS.replace("Homework 2 (78)", "Homework 1 (78)"), "", "2 columns are called"),
    ],
)
def test_a_canvas_file_in_doubt_is_refused(
    tmp_path: Path, text: str, column: str, said: str
) -> None:
    """With the assignments that there are."""
    with pytest.raises(UserError) as complaint:
        platforms.canvas(made(tmp_path, text), titles=("Homework 1",), column=column)
    assert said in str(complaint.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CANVAS, "this is not a grading worksheet of Moodle"),
        (MOODLE.replace(",Grade,", ",Arvosana,"), "nobody can tell which column is the one of"),
        (MOODLE.replace("60.00", "good, bad"), "is not the maximum grade"),
        ("Identifier,Grade\n", "this is not a grading worksheet"),
    ],
)
def test_a_moodle_file_in_doubt_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """Other languages, scales and other files."""
    text = text.replace("good, bad", '"good, bad"')
    with pytest.raises(UserError) as complaint:
        platforms.moodle(made(tmp_path, text))
    assert said in str(complaint.value)
    if "Arvosana" in text:
        assert platforms.moodle(made(tmp_path, text), column="Arvosana").grade == 4
