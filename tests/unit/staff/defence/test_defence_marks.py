"""Returned letters, and their score."""

import contextlib
import json
from pathlib import Path

import pytest

from autograder.course.people import People
from autograder.records.errors import UserError
from autograder.staff.defence import keys, marks
from autograder.staff.defence.keys import Keys, SheetKey
from autograder.staff.defence.marks import Returned, corrected, earned, marked
from autograder.staff.defence.sheets.forms import blank, notebook
from autograder.staff.defence.sheets.sheet import Asked, Key, Sheet
from tests import fabricated_class
from tests.command_line import run
from tests.helpers import TOY

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


@pytest.mark.parametrize(
    ("code", "typed", "same"),
    [
        ("123E45", "1.23E+47", True),
        ("123E45", "1,23E+47", True),
        ("012345", "12345", True),
        ("123456", "123457", False),
        ("123E45", "1.23E+48", False),
        ("123E45", "0123AB", False),
    ],
)
def test_a_code_that_a_spreadsheet_took_for_a_number(code: str, typed: str, same: bool) -> None:
    """It is the code of this student's sheet all the same."""
    own = Keys("toy", 1, {"ada": SheetKey(code, OWN)})
    with contextlib.nullcontext() if same else pytest.raises(UserError, match="was given"):
        assert marked(Returned("ada", typed, {1: "A"}, "here"), own).right == 1


@pytest.mark.parametrize("name", ["answers.csv", "doubtful.csv"])
def test_new_sheets_replace_no_typed_letters(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    """They stay, and so does the key; letters that are still to be typed hold nobody up."""
    graded = fabricated_class.write(tmp_path / "graded", 1)
    typed = tmp_path / "sheets" / "staff" / name
    typed.parent.mkdir(parents=True)
    keys.write(tmp_path / "sheets", KEYS)
    typed.write_text("id,name,sheet,1,2,3\nada,,0123AB,?,B,?\n")
    words = ("defend", graded, "--out", tmp_path / "sheets", "--course", TOY)
    status, _, errors = run(capsys, *words)
    assert (status, errors.count("\n")) == (2, 1)
    assert f"{typed} has letters of sheets that were handed out" in errors
    status, _, errors = run(capsys, *words, "--scans", typed, "--mark", graded / "answers.csv")
    assert (status, "doubtful.csv alone" in errors) == (2, True)


def test_the_key_of_other_sheets_is_kept(tmp_path: Path) -> None:
    """A late submission may change sheets that were handed out."""
    (tmp_path / "staff").mkdir()
    later = Keys("toy", 1, {"ada": SheetKey("4567CD", OWN)})
    kept = [keys.write(tmp_path, one) for one in (KEYS, KEYS, later, KEYS)]
    first, second = (tmp_path / "staff" / f"key.json.before{n}" for n in ("", "1"))
    assert kept == [None, None, first, second]
    assert first.read_text() == keys.text(KEYS)
    assert second.read_text() == keys.text(later)
    keys.write(tmp_path, later)
    assert keys.read(tmp_path) == later


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
    path.write_text("id,sheet,1,2,3\rada,0123AB,A,B,C\r", newline="")  # an old Mac's line ends
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
