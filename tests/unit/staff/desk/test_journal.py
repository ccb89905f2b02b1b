"""journal, mark_changes: every change, newest first."""

import csv
import re
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from autograder.course.people import People
from autograder.reports import tables
from autograder.staff.desk.activity import journal
from autograder.store import mark_changes
from autograder.store.mark_changes import Change

ONE = Change("2026-11-27T10:00:00+01:00", "Ana", "s1", "count", "1", "2", "regrade")
TWO = Change("2026-11-27T11:00:00+01:00", "Bo", "s2", "=cmd", "2", "1", "line one\nline two")


def test_changes_are_appended_and_read_back(tmp_path: Path) -> None:
    mark_changes.append(tmp_path, [ONE])
    mark_changes.append(tmp_path, [])
    mark_changes.append(tmp_path, [TWO])
    assert (tmp_path / mark_changes.FILE).read_text().count("\ufeff") == 1  # for Excel
    first, second = mark_changes.read(tmp_path)
    assert first == ONE
    assert second == TWO


@pytest.mark.parametrize("text", ["=1+1", "-1+1", "@x", "+1", "\t=1", "-"])
def test_no_spreadsheet_runs_what_people_wrote(tmp_path: Path, text: str) -> None:
    """A reason or name like a formula is text in every table, and comes back unchanged."""
    change = replace(ONE, by=text, why=text)
    mark_changes.append(tmp_path, [change])
    (row,) = list(csv.reader((tmp_path / mark_changes.FILE).read_text().splitlines()))[1:]
    assert (row[1], row[6]) == (f"'{text}", f"'{text}")
    assert list(mark_changes.read(tmp_path)) == [change]
    found = journal.lines({"toy": tmp_path}, People(), ZoneInfo("UTC"), str(tmp_path / "no.db"))
    assert not re.search(r'(^|,)"[=+\-@\t]', journal.table(found), re.MULTILINE)
    assert tables.text(text) == f"'{text}"


def test_points_below_zero_stay_numbers(tmp_path: Path) -> None:
    mark_changes.append(tmp_path, [replace(ONE, before="-1.5", after="-2")])
    assert '"-1.5","-2"' in (tmp_path / mark_changes.FILE).read_text()


@pytest.mark.parametrize("cut", ['"2026","Ana"', '"2026","An'])
def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path, cut: str) -> None:
    mark_changes.append(tmp_path, [ONE])
    with (tmp_path / mark_changes.FILE).open("a") as file:
        file.write(cut)
    assert list(mark_changes.read(tmp_path)) == [ONE]
    mark_changes.append(tmp_path, [TWO])
    assert list(mark_changes.read(tmp_path)) == [ONE, TWO]


def test_a_file_that_a_spreadsheet_saved_is_read(tmp_path: Path) -> None:
    """Its encoding costs letters of a name, and no change."""
    mark_changes.append(tmp_path, [replace(ONE, by="Jürgen")])
    path = tmp_path / mark_changes.FILE
    path.write_bytes(path.read_text(encoding="utf-8-sig").encode("cp1252"))
    mark_changes.append(tmp_path, [TWO])
    assert list(mark_changes.read(tmp_path)) == [replace(ONE, by="J\ufffdrgen"), TWO]


def test_the_last_change_comes_first(tmp_path: Path) -> None:
    mark_changes.append(tmp_path, [ONE, TWO])
    missing = str(tmp_path / "no.db")
    found = journal.lines({"toy": tmp_path}, People(), ZoneInfo("UTC"), missing)
    assert [line.who for line in found] == ["Bo", "Ana"]
    assert found[1].when == "2026-11-27 10:00:00"
    assert journal.table(found).startswith('"when","who"')


def test_items_that_are_given_in_a_row_are_one_change() -> None:
    """It has the first and last points; other markers and an hour later are separate."""
    found: list[journal.Line] = []

    def gave(when: str, who: str, before: str, after: str, why: str) -> None:
        at = f"2026-11-27 {when}"
        journal.add(found, journal.Line(at, who, "toy", "s1", "argue", before, after, why))

    gave("10:00:00", "Ana", "", "1", "gave: one")
    gave("10:00:04", "Ana", "1", "3", "gave: two")
    gave("10:00:09", "Bo", "3", "0", "gave nothing")
    gave("11:00:00", "Bo", "0", "1", "gave: one")
    assert [(line.before, line.after, line.why) for line in found] == [
        ("", "3", "gave: one; gave: two"),
        ("3", "0", "gave nothing"),
        ("0", "1", "gave: one"),
    ]
