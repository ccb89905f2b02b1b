"""alike: the answers that one mark may suit, and the differences of two texts."""

import base64
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import homework
from autograder.staff.marking_page.similarity import Comparison, Piece, compare, differences
from tests.gradebooks import put
from tests.helpers import TOY, of_code
from tests.marking_course import hand_in

LONG = "Somebody has to choose the mean of no numbers, since it is nothing divided by nothing."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return results of students whose texts are equal, nearly equal, different, or empty."""
    toy = homework.load(TOY, "toy")
    texts = {"a": LONG, "b": "Other words.", "c": LONG.replace("Somebody", "Someone"), "d": LONG}
    for student, text in texts.items():
        hand_in(tmp_path, student, text)
    put(tmp_path, "e", replace(of_code(), cells=toy.cells), toy)
    return tmp_path


def test_similar_answers_follow_each_other(folder: Path) -> None:
    """Each id occurs once in the order, even unreadable ones, which resemble no other."""
    students = {f"id-{name}": name for name in "abcde"} | {"id-x": "nobody", "id-y": "none"}
    found = compare(TOY, folder, "toy", "argue", students)
    assert found.groups == (("id-a", "id-c", "id-d"),)
    assert set(found.order[:3]) == {"id-a", "id-c", "id-d"}
    assert sorted(found.order) == sorted(students)
    assert set(found.order[-2:]) == {"id-x", "id-y"}


def test_another_number_makes_an_echo(folder: Path) -> None:
    """It reads like the one before but is not in its group: one mark may not suit both."""
    for student, number in (("x", "3"), ("y", "4")):
        hand_in(folder, student, f"{LONG} There are {number} of them.")
    found = compare(TOY, folder, "toy", "argue", {name: name for name in "abxy"})
    assert found.groups == ()
    later = max("xy", key=found.order.index)
    assert found.echoes[later] == min("xy", key=found.order.index)
    assert "b" not in found.echoes


def test_an_answer_with_a_picture_is_like_no_other(folder: Path) -> None:
    """Pictures are not compared."""
    toy = homework.load(TOY, "toy")
    blank = replace(of_code(), cells=toy.cells)
    picture = {"p.png": {"image/png": base64.b64encode(b"x").decode()}}
    drawn = tuple(
        replace(cell, source=LONG, attachments=picture) if cell.grade_id == "argue" else cell
        for cell in blank.cells
    )
    put(folder, "d", replace(blank, cells=drawn), toy)
    found = compare(TOY, folder, "toy", "argue", {name: name for name in "acd"})
    assert found.groups == (("a", "c"),)


def test_what_differs_is_in_pieces() -> None:
    """White space is no difference; the pieces together give the two texts."""
    pieces = differences("It is  not 0.", "It is 1.5 not")
    assert "".join(p.text for p in pieces if p.there != "other") == "It is not 0."
    assert "".join(p.text for p in pieces if p.there != "here") == "It is 1.5 not"
    assert Piece("It is ", "both") in pieces
    assert differences("a b", "a\nb") == [Piece("a b", "both")]


def test_several_pages_take_the_answer_at_once(folder: Path) -> None:
    """Two simultaneous requests both get it, whichever of them reads it."""
    for _ in range(3):
        compared = Comparison(TOY, folder, "toy", "argue", {name: name for name in "abcde"})
        compared.begin()

        def wait(compared: Comparison = compared) -> tuple[tuple[str, ...], ...]:
            while (found := compared.found()) is None:
                time.sleep(0.001)  # the process that compares needs the processor
            return found.groups

        with ThreadPoolExecutor(8) as pool:
            given = [future.result() for future in [pool.submit(wait) for _ in range(8)]]
        assert set(given) == {(("a", "c", "d"),)}
