"""Returned letters, and their score."""

import json
from pathlib import Path

import pytest

from autograder.course.people import People
from autograder.records.errors import UserError
from autograder.staff.defence import marks
from autograder.staff.defence.keys import Keys, SheetKey
from autograder.staff.defence.marks import Returned, corrected, earned, marked
from autograder.staff.defence.sheets.forms import blank, notebook
from autograder.staff.defence.sheets.sheet import Asked, Key, Sheet

OWN = tuple(Key("Predict", "f", letter, 1.0) for letter in "ABC")
KEYS = Keys("toy", 1, {"ada": SheetKey("0123AB", OWN)})
OPTIONS = tuple((letter, letter * 2) for letter in "ABCD")
SHEET = Sheet(
    "ada",
    "Toys",
    "Toys, Spring",
    "0123AB",
    (),
    tuple(Asked(n, "?", (), OPTIONS) for n in (1, 2, 3)),
)


def answers(**letters: str) -> Returned:
    return Returned("ada", "0123AB", {int(n[1:]): said for n, said in letters.items()}, "here")


def test_guessing_gives_nothing_on_average() -> None:
    """The mean is over all four letters for each of three questions."""
    every = [answers(q1=a, q2=b, q3=c) for a in "ABCD" for b in "ABCD" for c in "ABCD"]
    assert sum(marked(one, KEYS).score for one in every) == pytest.approx(0)


def test_a_sheet_is_marked() -> None:
    """Right letters count 1, wrong ones cost a third, and missing ones count 0."""
    assert marked(answers(q1="A", q2="B", q3="C"), KEYS).score == 1
    one = marked(answers(q1="A", q2="A", q3=""), KEYS)
    assert (one.right, one.wrong) == (1, 1)
    assert one.score == pytest.approx(2 / 9)
    assert corrected(0, 3, 3) == pytest.approx(-1 / 3)


def test_points_are_in_proportion_or_all_or_nothing() -> None:
    """The best of several sheets counts."""
    assert earned([0.2, 0.75], 8, None) == 6
    assert earned([-0.2], 10, None) == -2
    assert earned([0.2, 0.75], 8, 0.6) == 8
    assert earned([0.5], 8, 0.6) == 0


def test_two_that_differ_are_marked_from_neither() -> None:
    """Anybody can write a name into a file; two equal sets of letters count as one."""
    ben = Returned("ben", "4567CD", {1: "A"}, "b")
    complaints: list[str] = []
    both = [answers(q1="A"), ben, answers(q1="A")]
    assert marks.of_each(both, complaints.append) == [both[0], ben]
    assert complaints == []
    assert marks.of_each([*both, answers(q1="B")], complaints.append) == [ben]
    assert complaints == [
        "here and here: both are for 'ada' and differ; leave out the one that is not this student's"
    ]


def test_answers_of_another_sheet_are_refused() -> None:
    """So are those of people without a sheet, and of unknown questions."""
    for one, why in (
        (Returned("eve", "", {1: "A"}, "here"), "'eve' has no sheet"),
        (Returned("ada", "FFFFFF", {1: "A"}, "here"), "was given 0123AB"),
        (Returned("ada", "", {4: "A"}, "here"), "there is no question 4"),
    ):
        with pytest.raises(UserError, match=why):
            marked(one, KEYS)


def test_letters_are_read_from_csv(tmp_path: Path) -> None:
    """The table goes out with the sheets; empty lines are skipped, and odd letters are reported."""
    path = tmp_path / "answers.csv"
    path.write_text(blank([SHEET], People.of({"ada": {"name": "Ada"}})))
    assert list(marks.read(path, pytest.fail)) == []
    path.write_text(path.read_text() + 'ada,,0123AB,a,"",C\nada,,0123AB,E,,\n')
    complaints: list[str] = []
    (one,) = marks.read(path, complaints.append)
    assert (one.student, one.sheet, one.letters) == ("ada", "0123AB", {1: "A", 2: "", 3: "C"})
    assert complaints == [f"{path}: line 4: question 1: 'E' is not one of A, B, C, D"]
    path.write_text(blank([SHEET], People()).replace('"",""', '"-",""', 1))
    (one,) = marks.read(path, pytest.fail)
    assert set(one.letters.values()) == {""}  # it came back, and has no letter
    path.write_text("id;name;sheet;1;2;3\nada;Ada;0123AB;A;B;C\n")  # Excel in many countries
    (one,) = marks.read(path, pytest.fail)
    assert one.letters == {1: "A", 2: "B", 3: "C"}
    path.write_text("id,score\nada,3\n")
    with pytest.raises(UserError, match="needs the columns id, 1, 2"):
        list(marks.read(path, pytest.fail))


def test_letters_are_read_from_a_notebook_that_never_runs(tmp_path: Path) -> None:
    """Anything but a dict of letters is refused, and code is not called."""
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (tmp_path / ".ipynb_checkpoints" / "old.ipynb").write_text("no notebook")
    path = tmp_path / "sheet.ipynb"
    nodes = json.loads(notebook(SHEET))
    nodes["cells"][-1]["source"] = 'ANSWERS = {1: "b", 3: "D"}'
    path.write_text(json.dumps(nodes))
    (one,) = marks.read(tmp_path, pytest.fail)
    assert (one.student, one.sheet, one.letters) == ("ada", "0123AB", {1: "B", 3: "D"})
    for source, why in (
        ("ANSWERS = open('x')", "may contain only letters"),
        ("ANSWERS = [1]", "not a dict"),
        ('ANSWERS = {[1]: "A"}', "may contain only letters"),
        ("ANSWERS = {1: 0x" + "f" * 6000 + "}", "may contain only letters"),
        ("ANSWERS = {0x" + "f" * 6000 + ': "A"}', "not a dict"),
        ('ANSWERS = {1: ["A"]}', "may contain only letters"),
        ("pass", "none of its cells"),
    ):
        nodes["cells"][-1]["source"] = source
        path.write_text(json.dumps(nodes))
        with pytest.raises(UserError, match=why):
            list(marks.read(path, pytest.fail))
        complaints: list[str] = []
        assert not list(marks.read(tmp_path, complaints.append))
        assert why in complaints[0]
