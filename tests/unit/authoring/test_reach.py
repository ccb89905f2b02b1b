"""proof: the questions that a known answer may affect, and visible checks that need no call."""

import pytest

from autograder.authoring.contract import proof
from autograder.course.known_answers import KnownAnswer, Written
from autograder.kit import Close, Homework, Question
from autograder.records.facts import Submission
from autograder.records.homework import Cell
from tests.helpers import ANYONE

CELLS = {
    "answer first_answer": "def first(x):\n    return x + 1\n",
    "answer second_answer": "def second(x):\n    return x + 2\n",
    "answer third_answer": "def third(x):\n    return first(x) + 1\n",
    "check first": "def wrong_first():\n    x = 2\n    return first(x) != 3\n\n\ncheck('first', wrong_first)",
    "check second": "def wrong_second():\n    x = 1\n    return second(x) != 3\n\n\ncheck(\n    'second', wrong_second\n)\nDONE = 1",
    "check third": "check('third', lambda: third(1) != 3)",
}


def close(values: object) -> object:
    return values


def question(id: str) -> Question:
    return Question(id, Close(close, 1e-6), list, objects=(id,))


def homework(**more: str) -> Homework:
    sources = CELLS | {name.replace("__", " "): text for name, text in more.items()}
    cells = []
    for name, source in sources.items():
        role, id = name.split()
        cells.append(Cell(id, "code", source, id if role == "check" else None, role))
    return Homework("Mini", tuple(map(question, ("first", "second", "third"))), cells=tuple(cells))


def answer(chosen: Homework, define: str, *fails: str) -> KnownAnswer:
    cells = Submission(ANYONE, chosen.cells)
    return KnownAnswer("x", "", Written(""), frozenset(fails), cells, define)


FIRST, SECOND = (f"def {name}(x):\n    return x" for name in ("first", "second"))


@pytest.mark.parametrize(
    ("define", "more", "reached"),
    [
        (SECOND, {}, {"second"}),
        (FIRST, {}, {"first", "third"}),  # which calls it
        # Data that it is given may be changed in place, and is what another check uses.
        (
            SECOND,
            {
                "provided__data": "X = [1]",
                "provided__look": "def look():\n    second(X)\n    first(X)",
            },
            {"second"},
        ),
        (
            SECOND,
            {"provided__data": "X = [1]\nsecond(X)", "check__first": "check('first', first, X)"},
            {"first", "second"},
        ),
        ("import numpy\nnumpy.random.seed(0)", {}, {"first", "second", "third"}),
        (f"{SECOND}\n    global Y", {}, {"first", "second", "third"}),
        ("def second(x):\n    torch.set_default_dtype(x)", {}, {"first", "second", "third"}),
        ("def second(x):\n    numpy.pi = x", {}, {"first", "second", "third"}),
        ("class second:\n    def __init__(self, x):\n        self.x = x", {}, {"second"}),
    ],
)
def test_what_an_answer_may_change_is_reached(
    define: str, more: dict[str, str], reached: set[str]
) -> None:
    """It is reached by name, or by data changed in place; everything is, if nameless state changes."""
    chosen = homework(**more)
    assert proof.reach(chosen, answer(chosen, define)) == reached


def test_what_a_mistake_should_lose_is_always_asked() -> None:
    """This holds whatever its code shows."""
    chosen = homework()
    asked = proof.concerned(chosen, answer(chosen, SECOND, "third"))
    assert [one.id for one in asked.questions] == ["second", "third"]


def test_a_quiet_check_keeps_its_definitions() -> None:
    """Later cells may use them; only the call is removed."""
    chosen = homework()
    submission, told = proof.quiet(Submission(ANYONE, chosen.cells), chosen, ("third",))
    assert submission.cells == told.cells
    sources = {cell.id: cell.source for cell in told.cells if cell.role == "check"}
    assert sources["third"] == CELLS["check third"]
    assert sources["first"] == CELLS["check first"].replace("check('first', wrong_first)", "")
    assert "DONE = 1" in sources["second"]
    assert "check(" not in sources["second"]
    assert [cell for cell in told.cells if cell.role == "answer"] == list(chosen.cells[:3])
