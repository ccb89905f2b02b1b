"""page: the crosses in one picture of a sheet, at any rotation; doubts are never decided."""

import cv2
import numpy as np
import pytest

from autograder.staff.defence.scans import page
from autograder.staff.defence.sheets import answer_block
from autograder.staff.defence.sheets.answer_block import Block
from tests import scanned

ANSWERS = {1: "A", 2: "D", 3: "–", 4: "B", 5: "C"}


def letters(found: page.PageRead) -> dict[int, str]:
    return {one.question: one.letter for one in found.answers}


@pytest.mark.parametrize("degrees", [0, 31, 90, 180, 243])
def test_crosses_are_read_whatever_the_rotation(degrees: float) -> None:
    found = page.read(scanned.turned(scanned.block(ANSWERS), degrees))
    assert (found.label, found.why) == (scanned.label(), "")
    assert letters(found) == ANSWERS
    assert page.cut_out(found) == {}


@pytest.mark.parametrize("questions", range(1, 9))
def test_each_number_of_questions_has_its_block(questions: int) -> None:
    answers = {n: "ABCD–"[n % 5] for n in range(1, questions + 1)}
    found = page.read(scanned.block(answers, scanned.label(questions=questions)))
    assert letters(found) == answers


def test_what_is_not_plain_goes_to_a_person() -> None:
    """This covers no cross, two crosses, a faint cross and a circle, each with its picture."""
    picture = scanned.block({1: "AB", 5: "C"})
    strips = list(Block(5).strips())
    scanned.cross(picture, strips[2].lefts[0], strips[2].top, ink=210)
    middle = [
        round((at + 2.5 + scanned.WHITE) * scanned.SCALE)
        for at in (strips[3].lefts[1], strips[3].top)
    ]
    cv2.circle(picture, middle, 32, 40, 4)
    found = page.read(picture)
    assert letters(found) == {1: "", 2: "", 3: "", 4: "", 5: "C"}
    assert [one.why for one in found.answers] == [
        "more than one box is marked",
        "no box is marked",
        "box A may be marked",
        "something is written beside a box",
        "",
    ]
    assert set(page.cut_out(found)) == {1, 2, 3, 4}
    assert all(min(one.shape) > 40 for one in page.cut_out(found).values())


def test_a_page_without_marks_is_refused() -> None:
    found = page.read(np.full((1600, 1200), 255, np.uint8))
    assert (found.label, found.answers) == (None, ())
    assert found.why == "fewer than three of its corner marks can be made out"


def test_one_corner_may_be_torn_off_and_not_two() -> None:
    picture = scanned.block(ANSWERS)
    picture[:200, :200] = 255
    assert letters(page.read(picture)) == ANSWERS
    picture[-200:, :200] = 255
    found = page.read(picture)
    assert found.answers == ()
    assert found.why == "fewer than three of its corner marks can be made out"


def test_a_torn_code_leaves_the_letters_to_a_person() -> None:
    """The crosses are clear, but the sheet's owner is not."""
    picture = scanned.block(ANSWERS)
    left, top = Block(5).code
    rows, columns = (round((at + scanned.WHITE) * scanned.SCALE) for at in (top, left))
    picture[rows : rows + 110, columns : columns + 90] = 255
    found = page.read(picture)
    assert (found.label, found.why) == (None, "its code cannot be read")
    assert letters(found) == ANSWERS | {6: ""}


@pytest.mark.parametrize(
    "code", ["https://example.org", "AGS toy 1 0123AB", "AGS toy 1 0123AB 1 9"]
)
def test_a_code_that_is_not_ours_is_refused(code: str) -> None:
    found = page.read(scanned.block(ANSWERS, code=code))
    assert (found.label, found.why) == (None, page.NOT_OURS)


def test_two_sheets_in_a_picture_are_refused() -> None:
    picture = scanned.block(ANSWERS)
    found = page.read(np.concatenate([picture, picture]))
    assert found.why == "more than one sheet is in the picture; take one of each"


def test_corner_marks_are_those_that_opencv_knows() -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for id in range(12):
        drawn = cv2.aruco.generateImageMarker(dictionary, id, 6)
        assert (np.array(answer_block.mark(id)) == (drawn == 0)).all()
