"""Defaults in spec.py: title, written answers and references; slips get a suggestion."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.course import homework, packages, solutions
from autograder.course.homework import HomeworkError
from autograder.kit import Ask, Close, Exact, Picture, Prints, Question
from autograder.records.errors import UserError
from autograder.records.figures import drawn
from autograder.records.homework import Cell
from autograder.records.questions import RESULT

NOTEBOOK = (
    Cell("a", "markdown", "Words.\n\n# Numbers #\n\n# Later"),
    Cell("b", "code", "import math\nimport numpy as np\nLIMIT: int = 3\nOTHER = LIMIT + 1"),
    Cell("c", "code", "def above(n):\n    return n > OTHER", role="answer"),
    Cell("d", "code", "", grade_id="above", role="check", points=2.0),
    Cell("e", "markdown", "Because.", grade_id="why", role="written", points=1.0),
    Cell("f", "code", "@np.vectorize\ndef twice(x):\n    return 2 * x", role="answer"),
    Cell("g", "code", "def tell(n):\n    print(n)", role="answer"),
    Cell("h", "code", "", grade_id="tell", role="check", points=2.0),
    Cell("i", "code", "class Counter: pass\nraised = 1 / 0", role="answer"),
    Cell("j", "code", "def late():\n    return raised", role="answer"),
)


def described(folder: Path, spec: str, adapters: str = "", *more: Cell) -> Any:
    """Return a homework with this spec.py, adapters and the notebook above."""
    staff = folder / "source" / "hw" / "staff"
    staff.mkdir(parents=True)
    if adapters:
        (staff / "adapters.py").write_text(adapters)
    names = "ANY, Ask, Close, Draws, Exact, Homework, Picture, Prints, Question, Raises, Table"
    (staff / "spec.py").write_text(f"from autograder.kit import {names}\n{spec}")
    return homework.described(folder, "hw", (*NOTEBOOK, *more))


def test_the_notebook_gives_title_written_answers_and_references(tmp_path: Path) -> None:
    """They are in the notebook's order, and a solution gets the names that it needs."""
    spec = 'one = Question("tell", Prints())\nmore = [Question("above", Exact())]'
    found = described(tmp_path, spec)
    assert found.title == "Numbers"
    assert [question.id for question in found.questions] == ["above", "why", "tell"]
    above, why, tell = found.questions
    assert why.by_hand
    assert above.ask == Ask(objects=("above",))
    assert (above.check.expected({"n": 5}), above.check.expected({"n": 4})) == (True, False)
    assert tell.check.expected({"n": 5}) == "5\n"
    for question in (above, tell):
        assert solutions.is_solution(question.check.reference)


def test_what_is_written_stays(tmp_path: Path) -> None:
    """This covers a title, an order with nothing to add, and an author's own reference."""
    spec = (
        "def own(n):\n    return n\n"
        'HOMEWORK = Homework("Mine", (Question("tell", Exact(own)), Question("why"), Question("above", Exact(own))))'
    )
    found = described(tmp_path, spec)
    assert found.title == "Mine"
    assert [question.id for question in found.questions] == ["tell", "why", "above"]
    assert not solutions.is_solution(found.questions[0].check.reference)


ADAPTERS = """
def running(counter, above, numbers):
    return {"counts": [counter().upto(n) for n in numbers], "above": [above(n) for n in numbers], "word": "no"}


def told(above, n):
    return {"the result": ["told", above(n)]}
"""
STATE = Cell(
    "k", "code", "class Count:\n    def upto(self, n):\n        return n + LIMIT", role="answer"
)


def test_an_adapter_gives_the_solution_s_values(tmp_path: Path) -> None:
    """It is called with the instructor's own objects; texts beside the arrays are not compared."""
    spec = (
        'a = Question("x", Close(), use="running", objects=("Count", "above"))\n'
        'b = Question("above", Exact(), use="told")'
    )
    one = described(tmp_path / "one", spec, ADAPTERS, STATE)
    numbers, plain = (one.question(id) for id in ("x", "above"))
    found = numbers.check.expected({"numbers": [1, 5]})
    assert {name: item.tolist() for name, item in found.items()} == {
        "counts": [4, 8],
        "above": [0, 1],
    }
    assert plain.check.expected({"n": 5}) == ["told", True]
    lost = spec.replace('"Count"', '"Lost"')
    with pytest.raises(HomeworkError, match="no cell defines a function `Lost` or `above`"):
        described(tmp_path / "two", lost, ADAPTERS, STATE)
    for question in (numbers, plain):
        assert solutions.is_solution(question.check.reference)


def test_a_figure_of_the_solution_is_compared_in_what_it_draws(tmp_path: Path) -> None:
    """Words, limits and scales are a matter of taste: comparing them needs a reference."""
    plt = pytest.importorskip("matplotlib.pyplot")
    draw = "def above(n):\n    import matplotlib.pyplot as plt\n    plt.plot([0, n], [1, 2])\n    plt.title('Mine')"
    figure = Cell("l", "code", draw, role="answer")
    reference = solutions.function(["above"], (*NOTEBOOK, figure), "picture")
    assert reference is not None
    check = Picture(reference)

    def drawn_by(last: float, title: str) -> Any:
        plt.plot([0, last], [1, 2])
        plt.title(title)

    for last, fraction in ((3, 1.0), (4, 0.0)):
        value = {RESULT: drawn(lambda last=last: drawn_by(last, "Yours"))}
        assert check({"n": 3}, value).fraction == fraction


def test_a_decorated_solution_and_imports_are_read() -> None:
    """They come with exactly the statements that they need."""
    needed = solutions.statements(["twice"], NOTEBOOK)
    assert [one.text for one in needed] == ["import numpy as np", NOTEBOOK[5].source]
    found = solutions.function(["twice"], NOTEBOOK)
    assert found is not None
    assert found(np.array([1, 2])).tolist() == [2, 4]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "lists no question; write questions = [Question(...), ...]"),
        (
            'a = Question("x", Exact())',
            "question 'x': Exact has no reference, and no cell defines a function `x` to serve as one",
        ),
        ('a = Question("x", Exact(), objects=("Counter",))', "no cell defines a function `Counter`"),
        (
            'a = Question("late", Exact())',
            "its reference is the solution `late`, whose code raises ZeroDivisionError",
        ),
        ('a = Question("x", Closee())', "line 2: NameError: name 'Closee' is not defined; did you mean Close?"),
        ('a = Question("x", Exact(), shwon=[])', "unexpected keyword argument 'shwon'; did you mean shown?"),
        ('a = Question("x", Close(tolerence=1))', "argument 'tolerence'; did you mean tolerance?"),
        ('import numpy as np\na = np.arange(3).maxx', "has no attribute 'maxx'; did you mean max?"),
        ("from autograder.kit import Tabel", "cannot import name 'Tabel' from 'autograder.kit'; did you mean Table?"),
        ('a = Question("x", Exact(), points_=3)', "argument 'points_'; did you mean points?"),
        ('a = Question("x", Exact(), wobble=3)', "argument 'wobble'; there are id, check, cases, use"),
        ('a = Question("x", Exact(), hide="y")', "question 'x': hide is 'y'; write a tuple of names"),
        ('a = Question("x", Exact(), objects="y")', "objects is 'y'; write a tuple of names"),
        (
            'a = Question("x", Exact(), ask=Ask("b"), use="b")',
            "line 2: question 'x' has an `Ask`, and also `use`, `objects`, `hide` or `may_mutate`; give either the `Ask` or these",
        ),
    ],
)  # fmt: skip
def test_a_slip_is_one_line(tmp_path: Path, spec: str, said: str) -> None:
    """It names the file and the likely intention."""
    with pytest.raises(HomeworkError, match=re.escape(said)) as error:
        described(tmp_path, spec)
    assert str(error.value).startswith("source/hw/staff/spec.py")
    assert "\n" not in str(error.value)


def adapter() -> None:
    """Stand for a function of adapters.py."""


def no_cases(rng: object) -> list[dict[str, Any]]:
    return [{}]


CHECK = Close(lambda: 1.0, 1e-6)


@pytest.mark.parametrize(
    "question",
    [
        Question("x", CHECK, no_cases, use=adapter, objects=["a", "x"], hide=["b"], may_mutate=("a",)),
        Question("x", CHECK, no_cases, use="adapter", objects=("a", "x"), hide=("b",), may_mutate=("a",)),
        Question("x", Ask("adapter", ("a", "x"), ("b",), ("a",)), CHECK, no_cases),  # type: ignore[arg-type, call-arg]
        Question("x", Ask("adapter", ("a", "x"), ("b",), ("a",)), check=CHECK, cases=no_cases),  # type: ignore[arg-type, misc]
        Question("x", ask=Ask("adapter", ("a", "x"), ("b",), ("a",)), check=CHECK, cases=no_cases),
    ],
)  # fmt: skip
def test_each_way_to_write_a_question_is_the_same(question: Question) -> None:
    """It may use keywords of `Question`, or an `Ask` in second place, as earlier courses do."""
    assert question.ask == Ask("adapter", ("a", "x"), ("b",), ("a",))
    assert (question.check, question.cases) == (CHECK, no_cases)


def test_earlier_courses_write_none_for_an_ask() -> None:
    """The check was in third place there."""
    question = Question("x", None, CHECK, no_cases)  # type: ignore[arg-type, call-arg]
    assert (question.ask, question.check, question.cases) == (None, CHECK, no_cases)
    assert Question("x").by_hand
    assert isinstance(Question("x", Exact()).check, Exact)
    assert isinstance(Question("x", Prints(), no_cases).check, Prints)


@pytest.mark.parametrize(
    ("modules", "declared", "found"),
    [
        ({"pandas", "os", "numpy.linalg", "autograder.kit"}, [], ["pandas"]),
        ({"pandas"}, ["pandas>=2"], []),
        ({"dateutil"}, ["pandas"], []),  # which pandas brings along
        ({"yaml", "PIL.Image"}, [], []),  # which grading needs
        ({"sklearnn"}, ["pandas"], ["sklearnn"]),  # nobody knows whose that is
    ],
)
def test_what_is_imported_is_declared(
    modules: set[str], declared: list[str], found: list[str]
) -> None:
    """They have pip's names; dependencies of declared packages count as declared."""
    assert packages.undeclared(modules, declared) == found


def test_a_reference_without_a_return_is_told() -> None:
    """The line gives its module and name."""

    def trimmed(n: int) -> None:
        """Return nothing."""

    trimmed.__module__ = "staff_of_hw_00000000.reference"
    with pytest.raises(
        UserError, match=r"^reference.trimmed returned None: is a `return` missing\?"
    ):
        Close(trimmed).expected({"n": 1})
