"""intake: lists of people as platforms write them."""

from pathlib import Path

import pytest

from autograder.course import people
from autograder.records.errors import UserError
from autograder.staff.desk import intake
from tests.gradebooks import make_course
from tests.helpers import TOY

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,HW (77)\n"
    '"    Points Possible",,,,,60\n'
    '"Berg, Ana",901,s1,aberg,A,\n'
    '"Coen, Bo",902,s2,bcoen,B,\n'
)
MOODLE = (
    "Identifier,Full name,ID number,Email address,Status,Grade\n"
    "Participant 71,Ana Berg,s1,ana@uni.example,Submitted,\n"
    "Participant 72,Bo Coen,s2,bo@uni.example,No submission,\n"
)
GRADESCOPE = "First Name,Last Name,SID,Email,Sections\nAna,Berg,s1,ana@uni.example,A\n"
PLAIN = "Name;E-mail\nAna Berg;ana@uni.example\n"


def roster(root: Path, text: str) -> intake.Roster:
    (root / "list.csv").write_text(text, encoding="utf-8")
    return intake.roster(root, f" {root / 'list.csv'} ")


@pytest.mark.parametrize(
    ("text", "id", "name"),
    [
        (CANVAS, "s1", "Ana Berg"),
        (f"\ufeff{CANVAS}", "s1", "Ana Berg"),
        (MOODLE, "s1", "Ana Berg"),
        (GRADESCOPE, "s1", "Ana Berg"),
        (PLAIN, "ana@uni.example", "Ana Berg"),
        ("id,name,email\ns1,Ana Berg,ana@uni.example\n", "s1", "Ana Berg"),
    ],
)
def test_a_platforms_list_is_a_roster(tmp_path: Path, text: str, id: str, name: str) -> None:
    """The university's own id becomes the id, not the platform's number."""
    found = roster(tmp_path, text)
    assert (found.people[0].id, found.people[0].name) == (id, name)
    assert found.new == len(found.people) == len(people.parsed(found.text))
    assert found.is_first


def test_canvas_numbers_find_people(tmp_path: Path) -> None:
    """Canvas's exports use its numbers, and forms use its logins."""
    found = people.parsed(roster(tmp_path, CANVAS).text)
    assert found.id_of("902") == found.id_of("bcoen") == "s2"


def test_what_a_roster_leaves_out_is_named(tmp_path: Path) -> None:
    """This covers the line of points, a test student, and columns that nobody needs."""
    text = f'{CANVAS}"Student, Test",903,,,A,\n'
    assert roster(tmp_path, text).left_out == ["2 lines without an id", "column HW (77)"]


def test_a_list_without_ids_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column of this list has ids"):
        roster(tmp_path, "Colour,Shape\nred,round\n")


def test_what_is_no_csv_is_refused(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_bytes(b"\xff\xfeid")
    for name in ("list.csv", "nothing.csv"):
        with pytest.raises(UserError, match="not a CSV file"):
            intake.roster(tmp_path, str(tmp_path / name))


def test_what_is_odd_is_shown_before_anything_runs(tmp_path: Path) -> None:
    """It shows owners, missing people, and unknown, late or unreadable files, odd ones first."""
    root = make_course(tmp_path / "course", like=TOY)
    with (root / "course.toml").open("a") as file:
        file.write("\n[homework.toy]\ndue = 2026-11-30T23:59:00\n")
    (root / "roster.csv").write_text(
        "id,name,canvas\ns1,Ana Berg,11\ns2,Bo Coen,12\ns3,Cy Dorn,13\ns4,Di Eze,14\n"
    )
    export = tmp_path / "submissions"
    export.mkdir()
    whole = (TOY / "solutions" / "toy" / "toy.ipynb").read_text()
    for name, text in {
        "bergana_11_7001_toy.ipynb": whole,
        "coenbo_12_7002_toy.ipynb": "{",
        "dorncy_LATE_13_7003_toy.ipynb": whole,
        "guest_99_7004_toy.ipynb": whole,
    }.items():
        (export / name).write_text(text)
    found = intake.look(root, "toy", str(export), tmp_path / "out")
    odd = {one.id: (one.file, " ".join(one.odd)) for one in found.found}
    assert list(odd)[-1] == "s1"
    assert odd["s1"] == ("bergana_11_7001_toy.ipynb", "")
    assert "cannot be graded: it is not a notebook" in odd["s2"][1]
    assert odd["s3"][1] == "late, says the platform"
    assert odd["99"] == ("guest_99_7004_toy.ipynb", "not in roster.csv")
    assert [one.name for one in found.missing] == ["Di Eze"]
    assert (found.due, found.again) == (True, 0)
    assert not (tmp_path / "out").exists()


def test_the_roster_before_is_kept(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,name\nold,Old\n")
    intake.keep_roster(tmp_path, "id,name\nnew,New\n")
    assert (tmp_path / "roster.csv").read_text() == "id,name\nnew,New\n"
    assert (tmp_path / "roster.csv.before").read_text() == "id,name\nold,Old\n"
