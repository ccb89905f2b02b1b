"""Induction heads that people thought of or a search found, right and wrong.

Three programs have to agree on each: the grader's check, the notebook's own, and the playground's
tests, which take one word at a time.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.course import homework
from tests.helpers import ROOT
from tests.pages import levels

NAME = "hw7_induction"
adapters, designed, drawn, every = (
    homework.staff_module(ROOT, NAME, module)
    for module in ("adapters", "designed", "drawn", "words")
)
CHECK = designed.Induction()
Design = dict[str, Any]
CELLS = {
    cell.id: cell.source for cell in homework.read_cells(ROOT / "source" / NAME / f"{NAME}.ipynb")
}
SEED = 7
LETTER = slice(0, 4)


def named(answer: Any) -> Design:
    """Return an answer's matrices by name, as the sandbox does."""
    return {name: np.array(m, float) for name, m in adapters.two_layers(lambda: answer).items()}


def returned(m: Design) -> tuple[Any, ...]:
    """Return matrices as an answer returns them."""
    return m["E"], m["pos"], [[m[f"{kind}{layer}"] for kind in "QKV"] for layer in "12"], m["U"]


def empty(width: int, first: int, second: int) -> Design:
    """Return zeros, with so many columns for queries and keys of the first and the second layer."""
    m = {"E": np.zeros((4, width)), "pos": np.zeros((6, width)), "U": np.zeros((width, 4))}
    for layer, columns in (("1", first), ("2", second)):
        m |= {f"{kind}{layer}": np.zeros((width, columns)) for kind in "QK"}
        m[f"V{layer}"] = np.zeros((width, width))
    m["E"][:, LETTER] = np.eye(4)
    return m


def shift_by_squares() -> Design:
    """Find the place before by the square of a distance, from t, t^2 and 1 alone."""
    m, t = empty(16, 2, 5), np.arange(6)
    place, note, answer = slice(4, 8), slice(8, 12), slice(12, 16)
    m["pos"][:, place] = np.column_stack([t, t**2, t**0, t == 0])
    m["Q1"][place, :2] = [[2, 0], [0, 0], [-2, 1], [0, 0]]  # 2 (t - 1), 1
    m["K1"][place, :2] = [[30, 0], [0, -30], [0, 0], [0, 0]]  # s, -s^2
    m["V1"][LETTER, note] = m["V2"][LETTER, answer] = m["U"][answer] = np.eye(4)
    m["Q2"][LETTER, :4], m["K2"][note, :4] = 60 * np.eye(4), np.eye(4)
    m["Q2"][6, 4], m["K2"][7, 4] = 60, -2
    return m


def pointer_by_squares() -> Design:
    """Prefer the earlier of two equal letters; note its place as one number, and add 1."""
    m, t = empty(12, 5, 2), np.arange(6)
    place, note, answer = slice(4, 7), 7, slice(8, 12)
    m["pos"][:, place] = np.column_stack([t, t**2, t**0])
    m["Q1"][LETTER, :4], m["K1"][LETTER, :4] = 600 * np.eye(4), np.eye(4)
    m["Q1"][6, 4], m["K1"][4, 4] = 60, -1
    m["V1"][place, note] = [1, 0, 1]
    m["Q2"][note, 0], m["Q2"][6, 1] = 2, 1
    m["K2"][place] = [[40, 0], [0, -40], [0, 0]]
    m["V2"][LETTER, answer] = m["U"][answer] = np.eye(4)
    return m


def shift_without_a_room_for_answers() -> Design:
    """Add the letter found to one's own, and take away its note, which is one's own letter."""
    m, place, note = empty(14, 6, 5), slice(4, 10), slice(10, 14)
    m["pos"][:, place] = np.eye(6)
    m["Q1"][place], m["K1"][place] = 50 * np.eye(6), np.eye(6, k=1)
    m["V1"][LETTER, note] = m["V2"][LETTER, LETTER] = m["U"][LETTER] = np.eye(4)
    m["V2"][note, LETTER] = -np.eye(4)
    m["Q2"][LETTER], m["K2"][note, :4] = 60 * np.eye(4, 5), np.eye(4)
    m["Q2"][LETTER, 4], m["K2"][4, 4] = 60, -2
    return m


def shift_of_corners() -> Design:
    """Make letters corners of a tetrahedron, in three numbers."""
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    m = empty(15, 6, 4)
    letter, place, note, answer = slice(0, 3), slice(3, 9), slice(9, 12), slice(12, 15)
    m["E"][:] = np.pad(corners, ((0, 0), (0, 12)))
    m["pos"][:, place] = np.eye(6)
    m["Q1"][place], m["K1"][place] = 50 * np.eye(6), np.eye(6, k=1)
    m["V1"][letter, note] = m["V2"][letter, answer] = np.eye(3)
    m["Q2"][letter, :3], m["K2"][note, :3] = 30 * np.eye(3), np.eye(3)
    m["Q2"][place, 3], m["K2"][place.start, 3] = 30, -8
    m["U"][answer], m["U"][place] = corners.T / 4, 1 / 4  # (3 + 1) / 4 and (-1 + 1) / 4
    return m


def pointer_on_a_circle() -> Design:
    """Make positions angles; the note is turned by one step."""
    m, step = empty(12, 6, 2), 2 * np.pi / 7
    place, note, answer = slice(4, 6), slice(6, 8), slice(8, 12)
    m["pos"][:, place] = np.column_stack([np.cos(step * np.arange(6)), np.sin(step * np.arange(6))])
    m["Q1"][LETTER, :4], m["K1"][LETTER, :4] = 400 * np.eye(4), np.eye(4)
    m["Q1"][place, 4:], m["K1"][place, 4:] = 100 * np.eye(2), -np.eye(2)
    m["V1"][place, note] = np.eye(2)
    turn = [[np.cos(step), np.sin(step)], [-np.sin(step), np.cos(step)]]
    m["Q2"][note], m["K2"][place] = 100 * np.array(turn), np.eye(2)
    m["V2"][LETTER, answer] = m["U"][answer] = np.eye(4)
    return m


def shift_that_sees_itself() -> Design:
    """Look half at the place before and half at oneself; the keys take one's own letter away again."""
    m = shift_without_a_room_for_answers()
    m["K1"][4:10] = np.eye(6, k=1) + np.eye(6)
    m["V1"] *= 2
    m["K2"][LETTER, :4] = -np.eye(4)
    m["V2"][LETTER, LETTER] += np.eye(4)  # the note is one's own letter and the one before
    return m


def trained(number: int) -> Design:
    """Return what gradient descent found from a random start, in the file beside this one."""
    stored = np.load(Path(__file__).with_name("trained.npz"))
    return {name: stored[f"{name}_{number}"].astype(float) for name in CHECK.names}


def of_the_solution() -> Design:
    notebook: dict[str, Any] = {"np": np}
    exec(CELLS["induction_weights_answer"], notebook)
    return named(notebook["induction_weights"]())


def shown_to_staff() -> Design:
    """Return the pointer that the notebook's source has in a text."""
    notebook: dict[str, Any] = {"np": np}
    exec(CELLS["pointer_design"].split("```")[1].removeprefix("python\n"), notebook)
    return named(notebook["induction_weights"]())


RIGHT: dict[str, Callable[[], Design]] = {
    "the solution's shift": of_the_solution,
    "the pointer for staff": shown_to_staff,
    "the playground's shift": lambda: named(levels.induction_answer(levels.induction_shift())),
    "the playground's pointer": lambda: named(levels.induction_answer(levels.induction_pointer())),
    "the playground's angles": lambda: named(
        levels.induction_answer(levels.OTHERS["induction_shift"])
    ),
    **{
        design.__name__: design
        for design in (
            shift_by_squares,
            pointer_by_squares,
            shift_without_a_room_for_answers,
            shift_of_corners,
            pointer_on_a_circle,
            shift_that_sees_itself,
        )
    },
    **{f"trained {n}": lambda n=n: trained(n) for n in range(2)},
    **{
        f"{road} {n} in a basis of its own": lambda road=road, n=n: dict(
            getattr(drawn, road)(np.random.default_rng([SEED, n]))
        )
        for road in ("shift", "pointer")
        for n in range(3)
    },
}


@cache
def the_notebook() -> dict[str, Any]:
    """Return what the notebook's cells define that check a design."""
    names: dict[str, Any] = {}
    for cell in ("imports", "value_tool", "check_tool", "forward", "design_tool"):
        exec(CELLS[cell], names)
    return names


def every_word() -> list[list[int]]:
    """Return all 2,188 words, the longest first: most wrong designs fail there."""
    return [word for some in reversed(every.words_with_a_copy()) for word in some.tolist()]


def is_right(m: Design) -> bool:
    """Say whether a design is right, after three programs have agreed on it."""
    graded = CHECK({}, m).fraction == 1
    notebook = the_notebook()
    complaint = notebook["logits_complaint"](
        lambda: returned(m), notebook["words_with_a_copy"](), notebook["next_letter"]
    )
    one_by_one = all(levels.induction_right(returned(m), word) for word in every_word())
    assert graded == (complaint is None) == one_by_one, complaint
    return graded


def test_there_are_fifteen_right_designs_and_more() -> None:
    assert len(RIGHT) >= 15


@pytest.mark.parametrize("name", RIGHT)
def test_right_designs_are_accepted(name: str) -> None:
    assert is_right(RIGHT[name]())


def test_the_two_designs_have_46_and_55_numbers() -> None:
    for design, numbers in ((of_the_solution(), 46), (shown_to_staff(), 55)):
        assert sum(np.count_nonzero(m) for m in design.values()) == numbers


def with_one_number_less() -> dict[str, Design]:
    """Return the two designs in rooms with each of their numbers set to zero, one at a time."""
    found = {}
    for road, design in (("shift", of_the_solution()), ("pointer", shown_to_staff())):
        for name, matrix in design.items():
            for row, column in np.argwhere(matrix).tolist():
                other = matrix.copy()
                other[row, column] = 0
                found[f"{road} without {name}[{row}, {column}]"] = {**design, name: other}
    return found


def with_two_rows_exchanged(rng: np.random.Generator) -> Design:
    """Return a right design of people's in which two rows of a matrix have changed places."""
    names = [name for name in RIGHT if "basis" not in name]
    m = RIGHT[names[int(rng.integers(len(names)))]]()
    name = CHECK.names[int(rng.integers(len(CHECK.names)))]
    used = np.flatnonzero(m[name].any(axis=1))
    one, other = rng.choice(used, 2, replace=False) if len(used) > 1 else (0, 1)
    changed = m[name].copy()
    changed[[one, other]] = changed[[other, one]]
    return {**m, name: changed}


@pytest.mark.slow
def test_no_wrong_design_is_accepted() -> None:
    """Of the 101 numbers of both designs, 17 can be left out alone, and no other."""
    verdicts = [is_right(design) for design in with_one_number_less().values()]
    assert (sum(verdicts), len(verdicts)) == (17, 101)


@pytest.mark.slow
def test_a_search_finds_nothing_that_is_accepted_and_wrong() -> None:
    """Three programs agree on 80 designs with exchanged rows; more than 50 of them are wrong."""
    rng = np.random.default_rng(SEED)
    wrong = sum(not is_right(with_two_rows_exchanged(rng)) for _ in range(80))
    assert wrong > 50


@pytest.mark.slow
@pytest.mark.parametrize("name", ["the solution's shift", "the pointer for staff", "trained 0"])
def test_at_the_tolerance_all_three_agree(name: str) -> None:
    """The gain of layer 2 is so small that the logits are just within 0.001, and just not."""
    m, low, high = RIGHT[name](), 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        right = CHECK._is_right({**m, "Q2": middle * m["Q2"]})
        low, high = (low, middle) if right else (middle, high)
    assert is_right({**m, "Q2": 1.001 * high * m["Q2"]})
    assert not is_right({**m, "Q2": 0.999 * high * m["Q2"]})
