"""fill: marks go into the right cells, and nothing else changes."""

import csv
from pathlib import Path

import pytest

from autograder.course.course import ExportRules
from autograder.course.people import People
from autograder.platforms import canvas, csv_table, fill, moodle
from autograder.platforms.csv_table import CsvTable
from autograder.records.errors import UserError

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
    """The points line, other assignments, test students and notes stay."""
    before = made(tmp_path, CANVAS)
    columns = canvas.columns(before, titles=("homework 1",))
    assert (columns.most, columns.people) == (60, (3, 4, 5, 6))
    scores = dict(zip(names, (33.333333, 54.5), strict=True))
    what = fill.plan(before, columns, scores, People(), unfinished={})
    assert [(c.student, c.before, c.after) for c in what.changes] == [
        (names[0], "12.00", "33.33"),
        (names[1], "", "54.5"),
    ]
    assert what.overwritten == what.changes[:1]
    assert what.untouched == 1  # the test student is nobody
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
    """Staff decided on the former; a person still has to decide on the latter."""
    before = made(tmp_path, CANVAS)
    columns = canvas.columns(before, titles=("x",), column="77")
    scores = {"501": 12.0, "502": 9.0, "503": 50.0, "600": None}
    what = fill.plan(
        before, columns, scores, People(), unfinished={"502": "1 answer is not marked yet"}
    )
    assert what.left == {
        "502": "1 answer is not marked yet",
        "503": "excused in Canvas",
        "600": "no score",
    }
    assert (what.changes, what.same) == ((), 1)


@pytest.mark.parametrize("text", [MOODLE, GERMAN], ids=["english", "german"])
def test_moodle_knows_people_by_number_or_address(tmp_path: Path, text: str) -> None:
    """A full name that equals somebody else's id has no effect."""
    before = made(tmp_path, text)
    columns = moodle.columns(before)
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


def test_numbers_of_other_people_do_not_outvote_addresses(tmp_path: Path) -> None:
    """A number in the roster, such as a seat, may be another person's in Moodle."""
    before = made(tmp_path, MOODLE)
    columns = moodle.columns(before)
    people = {
        name: {"email": f"{name}@example.org", "seat": seat}
        for name, seat in [("ada", "503"), ("ben", "501"), ("chi", "502")]
    }
    found = fill.whose(before, columns, list(people), People.of(people))
    assert found == {"ada": 1, "ben": 2, "chi": 3}
    del people["chi"]["email"]
    with pytest.raises(
        UserError, match=r"Identifier and Email address find .*line 2 is ben or ada"
    ):
        fill.whose(before, columns, list(people), People.of(people))


def test_columns_that_find_everybody_elsewhere_are_refused(tmp_path: Path) -> None:
    """Without a roster, Canvas's numbers and the university's may be the same."""
    text = CANVAS.replace("502,b002", "502,501").replace("503,c003", "503,502")
    before = made(tmp_path, text)
    columns = canvas.columns(before, titles=("homework 1",))
    with pytest.raises(UserError, match=r"ID and SIS User ID find different people .*; nothing"):
        fill.whose(before, columns, ["501", "502"], People())
    # The same by chance: who has 503 here has a different number in Canvas.
    before = made(tmp_path, CANVAS.replace("502,b002", "502,503"))
    assert fill.whose(before, columns, ["a001", "c003"], People()) == {
        "a001": 3,
        "c003": 5,
    }


def test_a_guest_is_found_by_another_column(tmp_path: Path) -> None:
    """Somebody without a SIS id, by the login that is the address in the roster."""
    text = CANVAS.replace("502,b002,ben", "502,,ben@example.org")
    before = made(tmp_path, text)
    columns = canvas.columns(before, titles=("homework 1",))
    names = ["a001", "b002", "c003"]
    assert list(fill.whose(before, columns, names, ROSTER).values()) == [3, 4, 5]
    with pytest.raises(UserError, match="has no line for b002"):
        fill.whose(before, columns, names, People())
    # Canvas's numbers of two people agree; a number of a stranger that equals an id does not count.
    known = {"a001": {"canvas": "501"}, "b002": {"canvas": "502"}, "c003": {}, "600": {}}
    people = People.of(known)
    assert list(fill.whose(before, columns, names, people).values()) == [3, 4, 5]
    del known["a001"]["canvas"], known["b002"]["canvas"]
    with pytest.raises(UserError, match="has no line for b002, 600"):
        fill.whose(before, columns, [*names, "600"], People.of(known))


@pytest.mark.parametrize(("cap", "above", "below"), [(False, None, None), (True, "60", "0")])
def test_a_mark_that_moodle_drops_stops_nobody_else_s(
    tmp_path: Path, cap: bool, above: str | None, below: str | None
) -> None:
    """All marks above the maximum or below 0 are named; with `cap`, the limit is copied."""
    before = made(tmp_path, MOODLE.replace("Yes", "Yes ").replace(",No,", ",Yes,"))
    columns = moodle.columns(before)
    scores = {"501": 61.0, "502": -1.0, "503": 60.0}
    what = fill.plan(before, columns, scores, People(), unfinished={}, rules=ExportRules(cap=cap))
    assert {c.student: c.after for c in what.changes} == {
        who: mark for who, mark in [("501", above), ("502", below), ("503", "60")] if mark
    }
    if cap:
        assert what.notes == {"501": "61 points, written as 60", "502": "-1 points, written as 0"}
    else:
        assert set(what.left) == {"501", "502"}
        assert what.left["501"].startswith("Moodle silently drops 61 points")


def test_all_that_is_wrong_is_in_one_message(tmp_path: Path) -> None:
    """Fixing one thing should not lead to the next complaint."""
    before = made(tmp_path, MOODLE)
    scores = {"501": 61.0, "502": 64.0, "zoe": 1.0, "yan": None, "503": 3.0}
    with pytest.raises(UserError) as complaint:
        fill.plan(before, moodle.columns(before), scores, People(), unfinished={})
    said = str(complaint.value)
    assert "it has no line for zoe, yan; nothing was written" in said
    assert said.endswith("would drop the marks of 501, 502, since its marks are from 0 to 60")


def test_canvas_takes_marks_above_what_is_possible_unless_they_are_cut(tmp_path: Path) -> None:
    """Extra credit is normal there; cells with EX and locked lines stay."""
    before = made(tmp_path, CANVAS)
    columns = canvas.columns(before, titles=("homework 1",))
    for cap, mark in [(False, "64"), (True, "60")]:
        rules = ExportRules(cap=cap)
        what = fill.plan(before, columns, {"502": 64.0}, People(), unfinished={}, rules=rules)
        assert [change.after for change in what.changes] == [mark]
    locked = made(tmp_path, MOODLE)
    what = fill.plan(locked, moodle.columns(locked), {"503": 60.0}, People(), unfinished={})
    assert what.left == {"503": "locked in Moodle"}


def test_people_without_a_submission_get_nothing_or_zero(tmp_path: Path) -> None:
    """Zero goes only into empty cells, never a test student's or a group's."""
    before = made(tmp_path, CANVAS.replace("One,,EX,,", "One,,-,,"))
    columns = canvas.columns(before, titles=("homework 1",))
    zero = ExportRules(missing="zero")
    what = fill.plan(before, columns, {}, ROSTER, unfinished={}, rules=zero)
    assert [(c.row, c.student, c.before, c.after) for c in what.changes] == [
        (4, "502", "", "0"),
        (5, "503", "", "0"),
    ]
    assert what.untouched == 1  # 501 has a mark
    assert what.zeros == ("502", "503")
    what = fill.plan(
        before, columns, {}, ROSTER, unfinished={}, rules=zero, elsewhere=["c003", "502"]
    )
    assert not what.changes
    what = fill.plan(before, columns, {}, ROSTER, unfinished={})
    assert (what.changes, what.untouched, what.zeros) == ((), 3, ())


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (MOODLE.replace('"=1+1"', '"1,2"'), "54.5"),
        (MOODLE.replace(",=kept", ',"3,4"'), "54.5"),
        (
            MOODLE.replace('"60.00"', "60.00")
            .replace("Status,Grade", "Team,Grade")
            .replace("Submitted,,60", '"1,2",,60'),
            "54.5",
        ),
        (GERMAN.replace("=1+1", "1.2"), "54,5"),
        (MOODLE.replace("3.00", "").replace("60.00", "60"), "54.5"),
        (MOODLE.replace(",", ";"), "54.5"),
        (MOODLE.replace(",", ";").replace("3.00", "").replace("60.00", "60"), "54,5"),
    ],
    ids=["text", "feedback", "group", "german", "whole", "excel", "semicolon"],
)
def test_a_student_s_text_decides_no_decimal_sign(tmp_path: Path, text: str, after: str) -> None:
    """The columns of marks do, or otherwise the separator."""
    before = made(tmp_path, text)
    columns = moodle.columns(before)
    what = fill.plan(before, columns, {"501": 54.5}, People(), unfinished={})
    assert [change.after for change in what.changes] == [after]
    new = fill.filled(before, columns, what).bytes()
    old = before.bytes()
    if "=" not in text:
        assert len(new) == len(old) + len(after) + 2 * (after == "54,5" and before.delimiter == ",")


def test_a_course_s_own_column_decides_no_decimal_sign(tmp_path: Path) -> None:
    """Neither do integers; marks with a comma do."""
    for old, new, mark in [
        ("=note", '"1,2"', "54.5"),
        ("12.00", '"12,00"', "54,5"),
        ("60,40,(read only)", '"60,00","40,00",(read only)', "54,5"),
        (",20\n", ',"20,5"\n', "54.5"),
    ]:
        before = made(
            tmp_path,
            CANVAS.replace("12.00", "").replace(old, new)
            if old != "12.00"
            else CANVAS.replace(old, new),
        )
        columns = canvas.columns(before, titles=("homework 1",))
        what = fill.plan(before, columns, {"502": 54.5}, People(), unfinished={})
        assert [change.after for change in what.changes] == [mark]


PLAIN = """Student,ID,SIS User ID,SIS Login ID,Section,Team,Midterm1,Week 2 (group),Current Score
Points Possible,,,,,,40,10.0,(read only)
"Example, Ada",501,a001,ada,One,"1,2",,3,20
"Student, Test",600,,test,One,,,,
"""


@pytest.mark.parametrize(
    ("text", "column", "place"),
    [
        (PLAIN, "Midterm1", 6),
        (PLAIN, "midterm1 ", 6),
        (PLAIN, "Week 2 (group)", 7),
        (PLAIN.replace("40,10.0,(read only)", ",,"), "Midterm1", 6),
        (PLAIN.replace("Points Possible,,,,,,40,10.0,(read only)\n", ""), "Midterm1", 6),
        (PLAIN.replace("Week 2", "Midterm1 (9)\x0cx").replace("\x0cx (group)", ""), "9", 7),
        (PLAIN.replace("Midterm1", "Midterm1 (77)"), "Midterm1", 6),
        (PLAIN.replace("Midterm1", "Midterm1 (77)"), "77", 6),
        (PLAIN.replace("Midterm1", "Midterm1 (77)"), "Midterm1 (77)", 6),
        (PLAIN.replace("Midterm1", "Examen e\u0301crit"), "Examen \xe9crit", 6),
        (PLAIN.replace("Midterm1", "77").replace("Week 2 (group)", "B (77)"), "77", 6),
    ],
)
def test_an_assignment_is_found_with_its_number_and_without(
    tmp_path: Path, text: str, column: str, place: int
) -> None:
    """The whole title comes first; the points may be missing."""
    before = made(tmp_path, text)
    columns = canvas.columns(before, titles=("homework",), column=column)
    assert columns.grade == place
    what = fill.plan(before, columns, {"501": 4.5}, People(), unfinished={})
    assert [(c.student, c.after) for c in what.changes] == [("501", "4.5")]


def test_lines_of_no_person_are_left_out_wherever_they_are(tmp_path: Path) -> None:
    """Canvas accepts the points line anywhere; empty lines and lines of commas are skipped."""
    lines = PLAIN.splitlines()
    text = "\n".join(
        [lines[0], lines[2], ",,,,,,Manual Posting,,", lines[1], "", ",,,,,,,,", lines[3], ""]
    )
    before = made(tmp_path, text)
    columns = canvas.columns(before, titles=(), column="Midterm1")
    assert (columns.people, set(columns.invented), columns.most) == ((1, 6), {6}, 40)
    sheet = made(tmp_path, MOODLE + "\n,,,,,,,,,,\n")
    assert moodle.columns(sheet).people == (1, 2, 3)


@pytest.mark.parametrize(
    ("header", "column"),
    [
        ("Grade,Maximum Grade,Marking workflow state,Grade can be changed", ""),
        ("Arvosana,Enint,Tila,Voi muuttaa", ""),
        ("Karakter,Maks,Status,Kan endres", "karakter"),
    ],
)
def test_a_worksheet_may_have_a_workflow_or_an_unknown_language(
    tmp_path: Path, header: str, column: str
) -> None:
    """The maximum is the same for everybody, and a column says yes or no about changes."""
    text = f"Identifier,Status,{header},Last\nParticipant 7,x,,10.00,Released,No,-\n"
    text += "Participant 8,y,3.50,10.00,Not marked,Yes,-\n"
    columns = moodle.columns(made(tmp_path, text), column=column)
    assert (columns.grade, columns.most, columns.locked) == (2, 10, {1: "locked in Moodle"})


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        *(("Tak", "Nie"), ("Да", "Нет"), ("Evet", "Hayır"), ("Ja", "Nej"), ("はい", "いいえ")),
        *(("Sí", "No"), ("Igen", "Nem"), ("Kyllä", "Ei"), ("Ναι", "Όχι"), ("Ano", "Ne")),
    ],
)
def test_a_locked_mark_stays_in_each_language(tmp_path: Path, yes: str, no: str) -> None:
    """Even in languages that only Moodle knows."""
    text = "Id,Mark,Most,Change,Last\nParticipant 7,,10.00,{},-\nParticipant 8,,10.00,{},-\n"
    columns = moodle.columns(made(tmp_path, text.format(yes, no)))
    assert columns.locked == {2: "locked in Moodle"}


@pytest.mark.parametrize(
    "words", [("Bai", "Ez"), ("Ndiyo", "Ndiyo"), ("Có", "Không"), ("Yes", "Ez")]
)
def test_a_word_that_nobody_knows_locks_a_mark(tmp_path: Path, words: tuple[str, str]) -> None:
    """Moodle would silently skip it; the line quotes the word."""
    text = "Id,Mark,Most,Change,Last\nParticipant 7,,10.00,{},-\nParticipant 8,,10.00,{},-\n"
    before = made(tmp_path, text.format(*words))
    columns = moodle.columns(before)
    known = words[0] == "Yes"
    assert columns.locked.keys() == ({2} if known else {1, 2})
    what = fill.plan(before, columns, {"7": 4.0, "8": 5.0}, People(), unfinished={})
    assert f"it is unclear whether '{words[1]}' is yes or no" in what.left["8"]


@pytest.mark.parametrize("cell", ["complete", "A-", "pass", "4 of 5"])
def test_a_column_of_words_takes_no_marks(tmp_path: Path, cell: str) -> None:
    """Canvas shows letters, or "complete", with such grading."""
    before = made(tmp_path, CANVAS.replace(",12.00,", f",{cell},"))
    with pytest.raises(UserError, match=r"'Homework 1 \(77\)' contains texts instead of marks"):
        canvas.columns(before, titles=("homework 1",))


def test_three_decimals_are_no_thousands(tmp_path: Path) -> None:
    """That is so if all numbers have them, as in some exports."""
    text = CANVAS.replace(",60,40,", ',"7,000","8,000",').replace(",12.00,", ',"4,125",')
    columns = canvas.columns(made(tmp_path, text), titles=("homework 1",))
    assert (columns.most, columns.sign) == (7, ",")


def test_a_worksheet_without_a_maximum_has_none(tmp_path: Path) -> None:
    """Other programs write these, and Moodle accepts them."""
    text = "Identifier,Grade,Grade can be changed,Feedback comments\nParticipant 7,,Yes,\n"
    assert moodle.columns(made(tmp_path, text)).most is None
    text = "Identifier,Grade,Feedback comments\nParticipant 7,,\n"
    columns = moodle.columns(made(tmp_path, text))
    what = fill.plan(made(tmp_path, text), columns, {"7": 999.0}, People(), unfinished={})
    assert [change.after for change in what.changes] == ["999"]


def test_people_nobody_knows_and_doubles_are_refused(tmp_path: Path) -> None:
    """Nobody gets another person's marks, and nobody's are lost silently."""
    before = made(tmp_path, CANVAS)
    columns = canvas.columns(before, titles=("Homework 1",))
    with pytest.raises(UserError, match="has no line for zoe; nothing was written"):
        fill.whose(before, columns, ["501", "zoe"], People())
    twice = made(tmp_path, CANVAS.replace("502,b002", "501,b002"))
    with pytest.raises(UserError) as complaint:
        fill.whose(twice, columns, ["501", "zoe", "yan"], People())
    assert "it has no line for zoe, yan; it has two lines for 501; nothing" in str(complaint.value)
    roster = People.of({"ada": {"email": "a001"}})
    with pytest.raises(UserError, match="ada and a001 are the same person"):
        fill.whose(before, columns, ["ada", "a001"], roster)


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("a,b,c,d\n", "", "this is not a Canvas gradebook"),
        (CANVAS, "Homework 9", "no column is called Homework 9; choose one with --column"),
        (CANVAS, "Current Score", "the column 'Current Score' is read-only in Canvas"),
        (
            PLAIN,
            "Midterm2",
            "called Midterm2; choose one with --column (the file has: 'Midterm1', 'We",
        ),
        (CANVAS.replace("=note", "free text"), "Notes", "the column 'Notes' contains texts"),
        (CANVAS.replace("Homework 2 (78)", "Homework 1 (78)"), "", "2 columns are called"),
    ],
)
def test_a_canvas_file_in_doubt_is_refused(
    tmp_path: Path, text: str, column: str, said: str
) -> None:
    """The message lists the assignments."""
    with pytest.raises(UserError) as complaint:
        canvas.columns(made(tmp_path, text), titles=("Homework 1",), column=column)
    assert said in str(complaint.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CANVAS, "this is not a Moodle grading worksheet"),
        (
            MOODLE.replace(",Grade,", ",Arvosana,").replace("60.00,No", "30.00,No"),
            "it is unclear which",
        ),
        (MOODLE.replace("60.00", "good, bad"), "is not the maximum grade"),
        ("Identifier,Grade\n", "this is not a Moodle grading worksheet"),
    ],
)
def test_a_moodle_file_in_doubt_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """This covers other languages, scales and other files."""
    text = text.replace("good, bad", '"good, bad"')
    with pytest.raises(UserError) as complaint:
        moodle.columns(made(tmp_path, text))
    assert said in str(complaint.value)
    if "Arvosana" in text:
        text = text.replace("30.00", "60.00")
        assert moodle.columns(made(tmp_path, text), column="Arvosana").grade == 4
