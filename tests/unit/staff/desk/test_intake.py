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
    (root / "list.csv").write_text(text, encoding="utf-8", newline="")
    return intake.roster(root, f" {root / 'list.csv'} ")


@pytest.mark.parametrize(
    ("text", "id", "name"),
    [
        (CANVAS, "s1", "Ana Berg"),
        (f"\ufeff{CANVAS}", "s1", "Ana Berg"),
        (MOODLE, "s1", "Ana Berg"),
        (GRADESCOPE, "s1", "Ana Berg"),
        (CANVAS.replace("\n", "\r"), "s1", "Ana Berg"),
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,name,email\n101,Ana,a@x.org\n,Bo,b@x.org\n", "line 3: it has no id"),
        ("id,name,email\n101,Doe, Ana,a@x.org\n", "line 2: it has 4 cells"),
        ("\n,,\nname;ID\nAna;101\nBo;101\n".replace(",,", ";;"), "'101' is in two lines"),
        ("LastName,FirstName,id,Section\nBerg,Ana,,1\n", "line 2: it has no id"),
    ],
)
def test_a_mistake_in_an_own_roster_is_said(tmp_path: Path, text: str, said: str) -> None:
    """It does not become a platform's list, in which addresses would be ids."""
    with pytest.raises(UserError, match=said):
        roster(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        MOODLE.replace("s1", "").replace("s2", " "),
        GRADESCOPE.replace("s1", ""),
        "Student number,SID,Name,Email\n,,Ana Berg,ana@uni.example\n",
    ],
)
def test_an_empty_column_has_no_ids(tmp_path: Path, text: str) -> None:
    """A site may have no numbers; then addresses are the ids."""
    found = roster(tmp_path, text).people
    assert (found[0].id, found[0].name) == ("ana@uni.example", "Ana Berg")


@pytest.mark.parametrize("text", ["id,name\n", MOODLE.splitlines()[0], "ID number,Email\n,\n"])
def test_a_list_of_nobody_is_refused(tmp_path: Path, text: str) -> None:
    """It could replace a roster."""
    with pytest.raises(UserError, match=r"nobody is in this list|no column of this list has ids"):
        roster(tmp_path, text)


def test_a_person_without_a_number_has_another_id(tmp_path: Path) -> None:
    """Guests have none: their login, address or Canvas's number counts, or their name is said."""
    text = f'{CANVAS}"Dorn, Cy",903,,cy@x.org,A,\n"Eze, Di",904,,,A,\n"Fox, Ed",,,,A,\n'
    found = roster(tmp_path, f'{text}"Student, Test",905,,0a1b,A,\n')
    ids = {one.id: one.name for one in found.people}
    assert ids == {"s1": "Ana Berg", "s2": "Bo Coen", "cy@x.org": "Cy Dorn", "904": "Di Eze"}
    assert found.left_out[0] == "3 lines without an id (Ed Fox)"
    parts = CANVAS.replace("Student,", "LastName,FirstName,").replace(", A", '","A')
    parts = parts.replace('Points Possible",', 'Points Possible",,').replace(", Bo", '","Bo')
    found = roster(tmp_path, f"{parts}Dorn,Cy,903,,,A,\nStudent,Test,905,,0a1b,A,\n")
    ids = {one.id: one.name for one in found.people}
    assert ids == {"s1": "Ana Berg", "s2": "Bo Coen", "903": "Cy Dorn"}


@pytest.mark.parametrize("broken", [b"id,name\ns1,Ana\ns1,Bo\n", b"id,name\ns1,M\xfcller\n"])
def test_a_good_list_replaces_a_broken_roster(tmp_path: Path, broken: bytes) -> None:
    """The old file's fault is not the new one's; the old file is kept as it was."""
    (tmp_path / "roster.csv").write_bytes(broken)
    found = roster(tmp_path, GRADESCOPE)
    assert (found.new, found.is_first) == (1, False)
    intake.keep_roster(tmp_path, found.text)
    assert [one.id for one in people.roster(tmp_path)] == ["s1"]
    assert (tmp_path / "roster.csv.before").read_bytes() == broken


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            "id;name\n1;M\xfcller\n".encode("cp1252"),
            "probably in Windows-1252; in Excel, save it as",
        ),
        (
            "id\tname\n1\tAna\n".encode("utf-16"),
            "it is in UTF-16; in Excel, save it as 'CSV UTF-8'",
        ),
        (b"PK\x03\x04\x00\xff", "choose a table, not a zip"),
    ],
)
def test_a_table_in_another_encoding_is_a_table(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "list.csv").write_bytes(data)
    with pytest.raises(UserError, match=said):
        intake.roster(tmp_path, str(tmp_path / "list.csv"))


def test_a_list_without_ids_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column of this list has ids"):
        roster(tmp_path, "Colour,Shape\nred,round\n")


def test_what_is_no_csv_is_refused(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_bytes(b"\xff\xfeid")
    for typed in (tmp_path / "list.csv", tmp_path / "nothing.csv", "~nobody-is-called-so/list.csv"):
        with pytest.raises(UserError, match="not a CSV file"):
            intake.roster(tmp_path, str(typed))
    with pytest.raises(UserError, match=r"not a CSV file \(field larger than field limit"):
        roster(tmp_path, f"Student,SIS User ID\n{'x' * 200_000},1\n")


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
