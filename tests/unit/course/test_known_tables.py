"""Known answers as tables of a TOML file: the fields of a Python file, many in one place."""

import re
from pathlib import Path

import pytest

from autograder.course import homework, known_answers
from autograder.course.homework import HomeworkError

STAFF = Path("source/toy/staff")
ZEROS = """[zeros]
says = "Zeros count."
fails = ["count"]
nudge = "Which numbers are positive?"
explanation = "Zero is not positive."
edits = [["(numbers > 0).sum()", "(numbers >= 0).sum()"]]
"""
CODE = '''[last]
says = "The last number alone."
fails = ["count"]
nudge = "How many numbers do you look at?"
explanation = "Only the last number is counted."
unseen.count = "This is a test."
code = """
def count_positive(numbers):
    return int(numbers[-1] > 0)
"""
'''


def read(
    mine: Path, text: str, file: str = "mistakes.toml"
) -> dict[str, known_answers.KnownAnswer]:
    """Return known mistakes by name, with these tables beside the files of wrong/."""
    (mine / STAFF / file).parent.mkdir(exist_ok=True)
    (mine / STAFF / file).write_text(text, encoding="utf-8")
    toy = homework.load(mine, "toy")
    kind = {
        "mistakes.toml": known_answers.wrong,
        "right.toml": known_answers.right,
        "tests/unlisted.toml": known_answers.unlisted,
        "tests/disguised.toml": known_answers.disguised,
    }[file]
    return {answer.name: answer for answer in kind(mine, toy)}


def test_tables_stand_beside_files(mine: Path) -> None:
    """Both are known, ordered by name."""
    known = read(mine, f"{ZEROS}\n{CODE}")
    assert list(known) == ["counts_zeros", "divides_by_all", "last", "zeros"]
    assert known["zeros"].fails == {"count"}
    assert known["zeros"].place == "[zeros] of staff/mistakes.toml"
    assert "(numbers >= 0).sum()" in known["zeros"].define
    assert known["last"].written.unseen == {"count": "This is a test."}
    assert "int(numbers[-1] > 0)" in known["last"].define


def test_a_table_says_what_the_same_file_says(mine: Path) -> None:
    """The two differ only in form."""
    path = mine / STAFF / "wrong" / "zeros_again.py"
    written = read(mine, ZEROS)["zeros"].written
    path.write_text(known_answers.as_module(written) + 'FAILS = ("count",)\n')
    again = read(mine, ZEROS)["zeros_again"]
    assert again.define == read(mine, ZEROS)["zeros"].define
    assert again.written.nudge == written.nudge


def test_a_table_changes_the_version_of_the_marks(mine: Path) -> None:
    """It decides what a message names."""
    before = homework.load(mine, "toy").marks_digest
    read(mine, ZEROS)
    assert homework.load(mine, "toy").marks_digest != before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[zeros]\nsays = \n", r"Invalid value \(at line 2, column 8\)"),
        (ZEROS.replace("nudge", "nugde"), r"\[zeros\]: .*`nugde`; it may have says, fails, nudge"),
        (ZEROS.replace('["count"]', '"count"'), r"\[zeros\]: Expected `array`, got `str`"),
        (ZEROS.replace("says =", "mistake ="), r"\[zeros\]: Object missing required field `says`"),
        (ZEROS.replace("count", "cuont"), r"\[zeros\]: FAILS names 'cuont', which is no"),
        (ZEROS.replace("nudge =", "mistake ="), r"\[zeros\]: NUDGE is missing; write where"),
        (ZEROS.replace("> 0", "> 1"), r"\[zeros\]: EDITS: no answer cell has '\(numbers > 1\)"),
        (CODE.replace("):", ")"), r"\[last\]: line 1: expected ':'"),
        (CODE.replace("count_p", "cuont_p"), r"\[last\]: no answer cell of the notebook defines"),
    ],
)
def test_a_table_that_cannot_be_read_is_one_line(mine: Path, text: str, said: str) -> None:
    """It names the file, the table, and the remedy."""
    with pytest.raises(HomeworkError, match=f"^source/toy/staff/mistakes.toml: {said}") as caught:
        read(mine, text)
    assert "\n" not in str(caught.value)


def test_two_answers_of_one_name_are_told(mine: Path) -> None:
    """A report shows the mistake's name, so it must be unique."""
    said = (
        "[counts_zeros] of staff/mistakes.toml and staff/wrong/counts_zeros.py have the same name"
    )
    with pytest.raises(HomeworkError, match=re.escape(said)):
        read(mine, ZEROS.replace("[zeros]", "[counts_zeros]"))


@pytest.mark.parametrize(
    ("file", "more"),
    [
        ("tests/unlisted.toml", 'words.count = "zero"\n'),
        ("tests/disguised.toml", 'mistake = "x"\n'),
    ],
)
def test_mistakes_of_tests_need_what_they_are_tried_with(mine: Path, file: str, more: str) -> None:
    """Unlisted ones need a message's words, disguised ones the name of the mistake."""
    assert list(read(mine, ZEROS + more, file)) == ["zeros"]
    with pytest.raises(HomeworkError, match=r"\[zeros\]: (WORDS|MISTAKE) is missing"):
        read(mine, ZEROS, file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'"""Off."""\nx: int\n', "line 2: x is not a literal"),
        (b'"""Off."""\nX = {[1]: 2}\n', "line 2: X is not a literal"),
        (b'"""Off\xe9."""\n', "it is not in UTF-8"),
        (
            b'"""Off."""\nFAILS = ("count",)\nRAISES = "IndexError"\n',
            "Expected `object`, got `str`",
        ),
    ],
)
def test_a_python_file_that_cannot_be_read_is_one_line(mine: Path, text: bytes, said: str) -> None:
    """This covers names without a value, invalid keys, wrong encodings and wrong types."""
    (mine / STAFF / "right" / "x.py").write_bytes(text)
    with pytest.raises(HomeworkError, match=f"^source/toy/staff/right/x.py: .*{re.escape(said)}"):
        known_answers.right(mine, homework.load(mine, "toy"))
