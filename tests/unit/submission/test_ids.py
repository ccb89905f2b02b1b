"""ids: a platform's numbers become the roster's ids."""

from pathlib import Path

import pytest

from autograder.course.people import People, Person
from autograder.records.errors import UserError
from autograder.submission import ids
from autograder.submission.discover import Found
from autograder.submission.opening import given

ROSTER = People.of(
    {
        "a001": {"name": "Ada", "email": "ada@example.org"},
        "b002": {"name": "Ben", "email": "Ben@example.org"},
        "c003": {"name": "Chi", "email": "both@example.org"},
        "d004": {"name": "Dan", "email": "both@example.org"},
    }
)
MOODLE = """Identifier,Full name,Email address,Status,Grade
Participant 501,Ada Example,ada@example.org,Submitted for grading,
Participant 502,Ben Sample,ben@example.org,Submitted for grading,
Participant 503,Chi Muster,both@example.org,No submission,
"""
GERMAN = MOODLE.replace("Participant ", "Teilnehmer/in").replace("Identifier", "ID")
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (77)
    Points Possible,,,,,60
"Example, Ada",501,a001,ada,One,
"Sample, Ben",502,B002,ben,One,
"Muster, Chi",503,zzz,both@example.org,One,
"""


@pytest.mark.parametrize("text", [MOODLE, GERMAN, CANVAS])
def test_lists_as_platforms_write_them(tmp_path: Path, text: str) -> None:
    """They match by an id or address that one person has; in doubt, the number stays."""
    path = tmp_path / "list.csv"
    path.write_text(text, encoding="utf-8-sig")
    known = ids.read(path, ["501", "502", "503"], ROSTER)
    assert {number: one.id for number, one in known.items()} == {"501": "a001", "502": "b002"}
    found = [Found(number, given(tmp_path)) for number in ("501", "502", "503")]
    named = ids.renamed(found, known)
    assert [item.student for item in named] == ["a001", "b002", "503"]
    assert [item.note for item in named] == [
        "",
        "",
        "the list of people does not show who submitted this",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Identifier\nParticipant 77\n", "has the numbers of these submissions, such as 501"),
        ("a,b,c\n501,a001,b002\n", "501 belongs to more than one person"),
        ("a,b,c\n501,a001,\n502,b002,ada@example.org\n", "502 belongs to more than one person"),
        ("a,b\n501,a001\n501,b002\n", "501 belongs to more than one person"),
        ("a,b\n501,a001\n502,a001\n", "a001 has more than one number"),
    ],
)
def test_a_list_in_doubt_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """Nobody gets another person's marks."""
    path = tmp_path / "list.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=said):
        ids.read(path, ["501", "502"], ROSTER)


def test_a_mark_that_is_somebody_s_id_says_nothing(tmp_path: Path) -> None:
    """In an exported gradebook, marks stand beside the ids, and ids may be small numbers."""
    roster = People.of({"101": {"name": "Ada"}, "102": {"name": "Ben"}})
    path = tmp_path / "list.csv"
    path.write_text("Student,ID,SIS User ID,Homework\nAda,501,101,102\nBen,502,102,90\n")
    known = ids.read(path, ["501", "502"], roster)
    assert {number: one.id for number, one in known.items()} == {"501": "101", "502": "102"}


def test_nobody_s_submission_takes_another_s_name(tmp_path: Path) -> None:
    """A folder may have the name that the roster gives somebody else."""
    with pytest.raises(UserError, match="would be called a001"):
        ids.renamed(
            [Found(n, given(tmp_path)) for n in ("501", "a001")], {"501": Person("a001", "a001")}
        )


def test_no_list_is_one_line(tmp_path: Path) -> None:
    """One example is a missing file."""
    with pytest.raises(UserError, match="cannot be read as CSV"):
        ids.read(tmp_path / "none.csv", ["501"], ROSTER)
