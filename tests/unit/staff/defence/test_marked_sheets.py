"""marked_sheets: answers about a submission give a separate mark, whatever grading does."""

from pathlib import Path

import pytest

from autograder.records.errors import UserError
from autograder.records.marks import with_added, without_added
from autograder.staff.defence import marked_sheets
from autograder.staff.defence.marked_sheets import Defence, MarkedSheet
from tests.sample_grade import GRADE

SHEET = MarkedSheet("K7Q2", ("a", "", "c", "d"), right=2, wrong=1, score=0.5)


def test_what_was_answered_comes_back_as_a_mark(tmp_path: Path) -> None:
    """It is removed again for pages on questions."""
    assert marked_sheets.read(tmp_path) is None
    assert with_added(GRADE, tmp_path) == GRADE
    marked_sheets.write(tmp_path, Defence(6.0, 3.0, {1: SHEET}))
    grade = with_added(GRADE, tmp_path)
    mark = grade.marks[-1]
    assert (mark.question, mark.points, mark.earned) == (marked_sheets.TITLE, 6.0, 3.0)
    assert mark.message == "Sheet 1: 2 right, 1 wrong, 1 left out; corrected for chance 50 %."
    assert without_added(grade) == GRADE


def test_a_sheet_that_is_out_is_not_answered(tmp_path: Path) -> None:
    """Its points are open, not lost."""
    marked_sheets.write(tmp_path, Defence(6.0, None, {}))
    assert not marked_sheets.answered(tmp_path)
    mark = with_added(GRADE, tmp_path).marks[-1]
    assert mark.earned is None
    assert mark.message == "The answers to the sheet are not marked yet."
    marked_sheets.write(tmp_path, Defence(6.0, -1.0, {1: SHEET}))
    assert marked_sheets.answered(tmp_path)


@pytest.mark.parametrize("text", ["{", '{"points": "many"}', '{"points": 1, "more": 2}'])
def test_a_broken_file_is_one_line(tmp_path: Path, text: str) -> None:
    """The line names the file, and the verb that writes it again."""
    (tmp_path / marked_sheets.NAME).write_text(text)
    with pytest.raises(UserError, match=r"defence.json cannot be read .*--mark` again") as error:
        with_added(GRADE, tmp_path)
    assert "\n" not in str(error.value)
