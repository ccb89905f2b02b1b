"""grades.csv: every student and question, names from the roster, and no formulas."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.cli.main import app
from autograder.course.people import People
from autograder.grading import unmarked
from autograder.records.codec import shown
from autograder.records.marks import Mark, Misconception
from autograder.reports import tables
from autograder.store import results
from tests.sample_grade import GRADE

MARKS = {
    "a001": tables.Row({"port": 8.0, "compare": None}),
    "=cmd()": tables.Row({"port": 0.5, "unique": 4.0}),
}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def report(course: Path, *, status: int) -> tuple[str, list[dict[str, str]]]:
    """Run `report` on a course's folder; return what it prints, and the rows of grades.csv."""
    (course / "course.toml").write_text('title = "A"\nterm = "S"\n')
    words = ["report", str(course / "graded"), "--course", str(course)]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == status
    return said.output, written(course, "grades.csv")


def written(course: Path, name: str) -> list[dict[str, str]]:
    return rows((course / "graded" / name).read_text(encoding="utf-8-sig"))


def test_a_line_a_student_and_a_column_a_question() -> None:
    """Marks still to be given are empty; so are questions that were not evaluated."""
    first, second = rows(tables.table(MARKS, People()))
    known = {"id": "a001", "port": "8", "compare": "", "unique": "", "score": "8"}
    assert first == known | {"state": "complete"}
    assert second["score"] == "4.5"


def test_nobody_is_missing_and_what_can_be_earned_is_there() -> None:
    """An earned zero is a 0, open marks are empty, and each line has its state."""
    marks = {
        "a001": tables.row(GRADE),
        "b002": tables.Row({}, ("no notebook in it",)),
        "zoe": tables.Row({"identity": 0.0}, ("1 answer is not marked yet",)),
    }
    roster = People.of({id: {"name": id.upper()} for id in ("a001", "b002", "c003")})
    most, ada, ben, zoe, chi = rows(tables.table(marks, roster, GRADE))
    assert (most["id"], most["identity"], most["name"]) == ("maximum", "12", "")
    assert float(most["score"]) == GRADE.possible
    assert ada["score"] == "14"
    assert (ben["score"], ben["state"]) == ("", "no notebook in it")
    assert (zoe["identity"], zoe["copy_first"], zoe["score"]) == ("0", "", "0")
    assert zoe["state"] == "1 answer is not marked yet; not in roster.csv"
    assert most["unique (extra)"] == "4"
    assert (chi["id"], chi["name"], chi["score"]) == ("c003", "C003", "")
    assert chi["state"] == "no submission"


def test_who_came_late_is_in_the_state() -> None:
    """Even if lateness costs nothing: staff decide its cost elsewhere."""
    late = tables.row(replace(GRADE, late="Submitted 2 hours after it was due (then)."))
    (ada,) = rows(tables.table({"a001": late}, People()))
    assert ada["state"] == "complete; Submitted 2 hours after it was due (then)."


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(start: str) -> None:
    """Ids, names and addresses that look like one get a leading quote."""
    evil = f"{start}1+cmd|' /C calc'!A0"
    roster = People.of({evil: {"id": evil, "name": evil, "email": evil}})
    (row,) = rows(tables.table({evil: tables.Row({"port": 8.0})}, roster))
    assert {row["id"], row["name"], row["email"]} == {"'" + shown(evil)}


def test_report_joins_the_roster(tmp_path: Path) -> None:
    """It reads grade.json from disk, including an unreadable submission."""
    (tmp_path / "roster.csv").write_text("id,name,email\na001,Ada Example,ada@example.org\n")
    for name in ("a001", "zoe"):
        (tmp_path / "graded" / name).mkdir(parents=True)
    known = Misconception("no_root", "Look.", "=No")
    marks = tuple(
        replace(one, misconception=known) if one.question == "copy_first" else one
        for one in GRADE.marks
    )
    results.write_grade(tmp_path / "graded" / "a001", replace(GRADE, marks=marks))
    unmarked.refuse(tmp_path / "graded" / "zoe", "no notebook")
    said, (most, ada, zoe) = report(tmp_path, status=0)
    assert "copy_first: 1 fits the mistake no_root" in said
    (line,) = written(tmp_path, "mistakes.csv")
    assert list(line.values()) == ["a001", "copy_first", "no_root", "Look.", "'=No"]
    assert (ada["name"], ada["identity"]) == ("Ada Example", "6")
    assert (ada["compare"], ada["score"]) == ("", "14")
    assert most["identity"] == "12"
    assert ada["state"] == "1 answer is not marked yet"
    assert (zoe["name"], zoe["score"]) == ("", "")
    assert zoe["state"] == "This submission could not be graded: no notebook; not in roster.csv"


def test_marks_of_an_unfinished_run_are_no_score(tmp_path: Path) -> None:
    """They are left out and named, and the exit status shows that something is missing."""
    folder = tmp_path / "graded" / "ada"
    folder.mkdir(parents=True)
    results.write_grade(folder, replace(GRADE, complete=False))
    said, (ada,) = report(tmp_path, status=2)
    assert "graded/ada: grading did not finish" in said
    assert ada == {"id": "ada", "score": "", "state": "grading did not finish"}


def test_a_score_of_fewer_points_has_its_own_maximum_beside_it() -> None:
    """Somebody without a defence sheet can earn less than the maximum in the table's line."""
    sheet = Mark("defence", 10, 7.5, "Sheet 1.")
    back = replace(GRADE, marks=(*GRADE.marks, sheet))
    marks = {"a001": tables.row(back), "b002": tables.row(GRADE)}
    most, ada, ben = rows(tables.table(marks, People(), back))
    assert (most["defence"], ada["defence"], ben["defence"]) == ("10", "7.5", "")
    assert ada["state"] == "complete"
    has, most_have = GRADE.possible, GRADE.possible + 10
    assert ben["state"] == f"complete; out of {has:g} points instead of {most_have:g}"
