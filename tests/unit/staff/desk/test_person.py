"""person: a page shows everything in the store and the verbs' files, and no empty sections."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.course import course, homework
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.records.marks import HandMarks
from autograder.staff.defence import keys, marked_sheets
from autograder.staff.defence.marked_sheets import Defence, MarkedSheet
from autograder.staff.desk import classes as desk
from autograder.staff.desk.classes import Classes
from autograder.staff.desk.person import Part, parts, report
from autograder.staff.similar import page, table
from autograder.staff.similar.fingerprints import Fingerprint
from autograder.staff.similar.pairs import Pair, Work
from autograder.staff.similar.pairs import Part as Cell
from autograder.store import files, results
from tests import fabricated_class
from tests.gradebooks import make_course
from tests.helpers import COURSE, TOY

ROSTER = "id,name,email,canvas\n" + "".join(f"s{n:05},Person {n},,{n + 70}\n" for n in range(4))


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Classes:
    monkeypatch.setattr(desk, "_PAUSE", 0.0)
    root = make_course(tmp_path / "course", like=TOY)
    fabricated_class.write(tmp_path / "out" / "toy", 3)
    (root / "roster.csv").write_text(ROSTER)
    return Classes(root, tmp_path / "out", None)


def part(known: Classes, id: str) -> Part:
    one = next(one for one in known.people() if one.id == id)
    (found,) = parts(known, one, course.read(known.root), ["toy"])
    return found


def came(folder: Path, day: int) -> None:
    at = datetime(2026, 11, day, 12, tzinfo=UTC)
    results.write_log(folder, replace(results.read_log(folder), receipt=Receipt(at=at)))


def test_where_nothing_is_nothing_is_shown(known: Classes) -> None:
    """A single submission gives no list of attempts, and a verb without files gives no section."""
    found = part(known, "s00001")
    assert [mark.question for mark in found.marks] == ["count", "mean", "argue"]
    assert files.REPORT in found.files
    assert files.EXECUTED not in found.files  # nothing was run
    empty = (found.attempts, found.sheets, found.defence, found.alike)
    assert not any(empty)
    absent = part(known, "s00003")
    assert absent == Part("toy", None, "", extended=False)


def test_all_attempts_of_a_person_are_found(known: Classes) -> None:
    """They may be under a different id or in a different folder; the one that counts is first."""
    fabricated_class.write(known.out / "late", 1, seed=3)
    fabricated_class.write(
        known.out / "toy", 1, seed=4, name="70"
    )  # s00000 by the platform's number
    for day, folder in enumerate(("toy/s00000", "toy/70", "late/s00000"), 1):
        came(known.out / folder, day)
    found = part(known, "s00000").attempts
    where = {str(one.entry.folder.relative_to(known.out)): one for one in found}
    assert list(where) == ["toy/s00000", "toy/70", "late/s00000"]
    assert [one.counts for one in found] == [True, False, False]
    assert [one.at[:10] for one in found] == ["2026-11-01", "2026-11-02", "2026-11-03"]
    for name, one in where.items():
        assert one.entry.score == results.read_grade(known.out / name).score
    assert part(known, "s00001").attempts == []


@pytest.mark.parametrize("beside", ["sheets", "toy/sheets"])
def test_a_defence_is_shown_with_its_result(known: Classes, beside: str) -> None:
    """The page shows only this person's sheet and result, or why there is none."""
    place = known.out / beside
    key = keys.Keys("toy", 2, {"s00000": keys.SheetKey("A1B2C3", ())}, {"s00001": "too long"})
    for folder in (place / "staff", place / "s00000"):
        folder.mkdir(parents=True)
    (place / "staff" / keys.NAME).write_text(keys.text(key))
    (place / "s00000" / "sheet.html").write_text("<p>Questions.</p>")
    (sheet,) = part(known, "s00000").sheets
    assert (sheet.round, sheet.page, sheet.result) == (2, place / "s00000" / "sheet.html", None)
    back = MarkedSheet("A1B2C3", ("A", ""), 1, 0, 0.5)
    marked_sheets.write(known.out / "toy" / "s00000", Defence(10.0, 5.0, {2: back}))
    found = part(known, "s00000")
    assert [one.result for one in found.sheets] == [back]
    assert found.defence is not None
    assert found.defence.earned == 5.0
    (none,) = part(known, "s00001").sheets
    assert (none.page, none.why) == (None, "too long")
    assert not part(known, "s00002").sheets


def test_similar_pairs_are_those_of_the_page(known: Classes) -> None:
    """They come from the table of `similar`, in the page's order, with earlier classes."""

    def work(student: str, group: str = "") -> Work:
        cell = Cell("count", "total = 0\n</h4><h4>s00002</h4>", (Fingerprint(1, 0, 0),), "code")
        return Work(student, group, student, (), (cell,))

    pairs = [
        Pair(work("s00000"), work("s00001"), 3.26, {1: 2}),
        Pair(work("s00000"), work("s00002", "earlier: w25"), 1.0, {1: 3}),
    ]
    text = page.html(pairs, title="T", course="C", count=3, earlier=1, most=9)
    files.write(known.place("toy") / table.NAME, table.table(pairs))
    first, second = part(known, "s00000").alike
    assert (first.id, first.anchor) == ("s00001", "pair-1")
    assert first.words == "likeness 3.3, 1 place"
    assert all(f'id="{one.anchor}"' in text for one in (first, second))
    assert (second.id, second.anchor) == ("", "pair-2")  # nobody of this class
    assert "w25" in second.name
    (other,) = part(known, "s00001").alike
    assert other.id == "s00000"
    assert not part(known, "s00002").alike  # a student of the same id, in an earlier class


def test_a_file_that_cannot_be_read_hides_its_section_alone(known: Classes) -> None:
    """Broken keys, broken results and odd pages do not break the person's page."""
    (known.out / "toy" / "s00000" / marked_sheets.NAME).write_text("{")
    (known.out / "sheets" / "staff").mkdir(parents=True)
    (known.out / "sheets" / "staff" / keys.NAME).write_text("[]")
    (known.out / "toy" / table.NAME).write_text("first,second\ns00000,s00001\n")
    found = part(known, "s00000")
    assert not found.sheets
    assert found.alike == []


def test_a_report_has_the_marks_of_today(known: Classes) -> None:
    """The desk shows marks given since it was written, as text; an unfinished run has no report."""
    folder, toy, settings = known.place("toy") / "s00000", homework.load(TOY, "toy"), COURSE
    assert (folder / files.REPORT).read_text() == "<p>A report.</p>"
    given = HandMarks({"argue": 0.25}, comments={"argue": "Say <b>why</b>."})
    text = report(folder, given, toy, settings)
    assert "0.25" in text
    assert "Say &lt;b&gt;why" in text
    results.write_grade(folder, replace(results.read_grade(folder), complete=False))
    with pytest.raises(UserError, match="did not finish"):
        report(folder, given, toy, settings)
