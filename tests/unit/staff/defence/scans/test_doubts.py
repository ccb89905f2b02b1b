"""doubts: clear crosses become letters, unclear ones wait for a person, whose word counts."""

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course.people import People
from autograder.records.errors import UserError
from autograder.staff.defence.keys import Keys, SheetKey
from autograder.staff.defence.scans import doubts
from autograder.staff.defence.scans.records import Answered, PageSeen
from autograder.staff.defence.sheets.answer_block import Label
from autograder.staff.defence.sheets.sheet import Key

KEYS = Keys(
    "toy", 1, {s: SheetKey(f"00000{s}", (Key("Predict", "f", "A", 1.0),) * 2) for s in "ABC"}, {}
)


def seen(student: str, letters: str, place: str = "", label: Label | None = None) -> PageSeen:
    answers = tuple(
        Answered(n, "" if one == "?" else one, "no box is marked" if one == "?" else "")
        for n, one in enumerate(letters, start=1)
    )
    own = label or Label("toy", 1, f"00000{student}", 1, len(letters))
    return PageSeen(place or f"{student}.png", own, "", answers, {1: "cG5n", 2: "cG5n"})


def returned(found: doubts.Sorted) -> dict[str, list[str]]:
    return {one.student: list(one.letters.values()) for one in found.returned}


def test_plain_sheets_are_taken_and_the_others_wait() -> None:
    found = doubts.sorted_out([seen("A", "B–"), seen("B", "C?")], KEYS, [])
    assert returned(found) == {"A": ["B", ""]}
    assert [(d.whose, d.question, d.why) for d in found.doubts] == [("B", 2, "no box is marked")]
    assert found.complaints == ()


@pytest.mark.parametrize(
    ("label", "why"),
    [
        (Label("other", 1, "00000A", 1, 2), "a sheet of other, round 1; these are of toy, round 1"),
        (Label("toy", 2, "00000A", 1, 2), "a sheet of toy, round 2; these are of toy, round 1"),
        (Label("toy", 1, "FFFFFF", 1, 2), "the sheet FFFFFF is not in this folder's key"),
        (Label("toy", 1, "00000A", 1, 3), "but the key has a different number"),
    ],
)
def test_a_sheet_of_other_sheets_is_refused_and_the_others_go_on(label: Label, why: str) -> None:
    stranger = seen("A", "AB" if label.questions == 2 else "ABC", "page 1", label)
    found = doubts.sorted_out([stranger, seen("B", "CD")], KEYS, [])
    assert returned(found) == {"B": ["C", "D"]}
    (complaint,) = found.complaints
    assert complaint.startswith("page 1: ")
    assert why in complaint
    assert [d.place for d in found.doubts] == ["page 1"]


def test_a_page_that_cannot_be_read_has_a_line_to_type(tmp_path: Path) -> None:
    """Without corner marks there is neither a code nor a box; a person types all of it, once."""
    page = PageSeen("page 1", None, "fewer than three of its corner marks can be made out", (), {})
    found = doubts.sorted_out([page], KEYS, [])
    (line,) = found.lines
    assert (line.cells, line.place) == (("?", "?"), "page 1")
    path = tmp_path / doubts.CSV
    path.write_text(doubts.table(found, People()).replace('"","","","?","?"', '"A","","","B","-"'))
    typed = doubts.typed(path, KEYS)
    again = doubts.sorted_out([page], KEYS, typed)
    assert returned(again) == {"A": ["B", ""]}
    assert again.complaints == ()
    (note,) = again.notes  # a second batch may have a page of the same name
    assert note.startswith("page 1: its letters were typed before")


def test_the_same_sheet_twice_counts_once_if_it_reads_alike() -> None:
    found = doubts.sorted_out([seen("A", "BC", "p1"), seen("A", "BC", "p2")], KEYS, [])
    assert returned(found) == {"A": ["B", "C"]}
    assert found.notes == ("p1 and p2: the same sheet (A) twice; read alike, and counted once",)


def test_the_same_sheet_twice_waits_where_it_differs() -> None:
    found = doubts.sorted_out([seen("A", "BC", "p1"), seen("A", "BD", "p2")], KEYS, [])
    assert returned(found) == {}
    assert [(d.place, d.question) for d in found.doubts] == [("p1", 2), ("p2", 2)]


def test_what_a_person_typed_completes_a_sheet_and_counts(tmp_path: Path) -> None:
    """This includes pages without a code, and sheets of an earlier scan."""
    torn = replace(seen("C", "A?", "p3"), label=None, why="its code cannot be read")
    pages = [seen("A", "B?"), seen("B", "??"), torn]
    first = doubts.sorted_out(pages, KEYS, [])
    path = tmp_path / doubts.CSV
    path.write_text(doubts.table(first, People()))
    again = doubts.sorted_out(pages, KEYS, doubts.typed(path, KEYS))
    assert returned(again) == {}
    rows = path.read_text().replace('"00000A","B","?"', '"00000A","B","d"')
    rows = rows.replace('"","","","A","?"', '"C","","","A","-"')
    path.write_text(rows)
    typed = doubts.typed(path, KEYS)
    last = doubts.sorted_out(pages, KEYS, typed)
    assert returned(last) == {"A": ["B", "D"], "C": ["A", ""]}
    assert (last.complaints, {d.whose for d in last.doubts}) == ((), {"B"})
    assert returned(doubts.sorted_out([], KEYS, typed)) == {"A": ["B", "D"], "C": ["A", ""]}


def test_a_code_that_a_spreadsheet_changed_is_still_that_sheet_s(tmp_path: Path) -> None:
    """The line has the student as well, so the typed letter finds its sheet."""
    keys = Keys("toy", 1, {"A": SheetKey("123E45", KEYS.sheets["A"].questions)})
    page = seen("A", "B?", label=Label("toy", 1, "123E45", 1, 2))
    path = tmp_path / doubts.CSV
    path.write_text(doubts.table(doubts.sorted_out([page], keys, []), People()))
    path.write_text(path.read_text().replace('"123E45","B","?"', "1.23E+47,B,D"))
    found = doubts.sorted_out([page], keys, doubts.typed(path, keys))
    assert (returned(found), found.doubts) == ({"A": ["B", "D"]}, ())


@pytest.mark.parametrize(
    ("row", "why"), [("A,,00000A,B,E", "'E' is not one of"), ("Z,,,A,B", "'Z' has no sheet")]
)
def test_what_is_typed_wrongly_is_one_line(tmp_path: Path, row: str, why: str) -> None:
    path = tmp_path / doubts.CSV
    path.write_text(f"id,name,sheet,1,2,place\n{row},p\n")
    with pytest.raises(UserError, match=why):
        doubts.typed(path, KEYS)


def test_the_page_shows_each_doubt_and_runs_nothing() -> None:
    found = doubts.sorted_out([seen("B", "?<", "<script>.png")], KEYS, [])
    page = doubts.page(found, People())
    assert "<script" not in page
    assert page.count("<img") == 1
    assert "B, question 1" in page
