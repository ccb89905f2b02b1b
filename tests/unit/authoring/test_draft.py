"""A test that compares a call with a value is drafted as a check with a reference."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.authoring.imports.draft import draft, left_out
from autograder.authoring.mistakes import draft as mistakes
from autograder.course.cells import cells_of
from autograder.records.questions import RESULT, Question

AREA = """import math
from statistics import mean as middle

def square(x):
    \"\"\"Return x squared.\"\"\"
    return x * x

### BEGIN SOLUTION
RATE = 2
def area(radius, times=1):
    return times * math.pi * square(radius)
### END SOLUTION
def double(x):
    ### BEGIN SOLUTION
    return RATE * x
    ### END SOLUTION
def several(*numbers):
    return middle(numbers)
def words(text):
    return text.split()"""


def questions(*tests: str) -> tuple[Question, ...]:
    """Return the questions that the draft for some tests defines when imported."""
    nodes = [cell(AREA, grade=False, id="answer")]
    nodes += [cell(test, grade=True, id=f"t{number}") for number, test in enumerate(tests)]
    text = draft(cells_of({"cells": nodes}))
    found: dict[str, Any] = {"QUESTIONS": ()}
    exec(text, found)
    return tuple(found["QUESTIONS"])


def cell(source: str, *, grade: bool, id: str) -> dict[str, Any]:
    """Return an nbgrader cell: an answer, or a test worth one point."""
    marks = {
        "grade": grade,
        "solution": not grade,
        "grade_id": id,
        "points": 1,
        "schema_version": 3,
    }
    return {
        "cell_type": "code",
        "id": id,
        "source": source,
        "metadata": {"nbgrader": marks},
        "outputs": [],
    }


def test_a_draft_is_a_check_that_works() -> None:
    """Its reference is the solution with everything it calls; its cases exceed the test's."""
    (one,) = questions(
        "from math import isclose\nassert isclose(area(1), 3.14159265)\n"
        "assert isclose(18.8495559, area(3, times=2))\nassert isclose(area(1, times=2.5), 7.853982)"
    )
    assert one.id == "t0"
    assert one.ask is not None
    assert one.ask.objects == ("area",)
    cases = one.cases(np.random.default_rng(0))
    assert len(cases) == 8
    assert all(isinstance(case["radius"], int) and 4 <= case["radius"] <= 20 for case in cases)
    assert all(2.5 <= case["times"] <= 10.5 for case in cases)
    assert one.check is not None
    right = cases[1]["times"] * np.pi * cases[1]["radius"] ** 2
    assert one.check(cases[1], {RESULT: right}).fraction == 1
    assert one.check(cases[1], {RESULT: 1.01 * right}).fraction == 0


@pytest.mark.parametrize(
    "test",
    [
        "assert words('a b') == ['a', 'b']",
        "assert ['a', 'b'] == words('a b')",
        "assert_equal(words(text='a b'), ['a', 'b'])",
        '"""It splits."""\nassert words("a b") == ["a", "b"]',
        "### BEGIN HIDDEN TESTS\nassert words('a b') == ['a', 'b'], 'no'\n### END HIDDEN TESTS",
    ],
)
def test_each_form_of_a_comparison_is_understood(test: str) -> None:
    """This includes hidden tests, since the draft is for staff."""
    (one,) = questions(test)
    assert one.cases(np.random.default_rng(0))[0] == {"text": "a b"}
    assert one.check is not None
    assert one.check({"text": "a b"}, {RESULT: ["a", "b"]}).fraction == 1
    assert one.check({"text": "a b"}, {RESULT: ["a", "c"]}).fraction == 0


def test_what_students_are_given_is_not_in_it() -> None:
    """A docstring would count as a leak; each of several texts is drawn."""
    nodes = [cell(AREA, grade=False, id="answer")]
    test = "assert words('a') == ['a']\nassert words('b') == ['b']\nassert words('a') == ['a']"
    both = [cell("assert square(2) == 4", grade=True, id="square"), cell(test, grade=True, id="w")]
    text = draft(cells_of({"cells": [*nodes, *both]}))
    assert "squared" not in text
    assert "['a', 'b'][rng.integers(2)]" in text
    assert "Question(\n        'square',\n        check=Exact(square)" in text


@pytest.mark.parametrize(
    "test",
    [
        "assert double(2) == 4",  # needs a variable of the notebook
        "assert several(1, 2) == 1.5",  # any number of inputs
        "assert words('a') == words('b')",
        "assert words('a')",
        "assert words(other) == ['a']",
        "assert square(2) == 4\nassert words('a') == ['a']",  # two functions
        "x = 2\nassert square(2) == 4",
        "assert square({1}) == 4",
        "assert square(2) < 5",
        "assert unknown(2) == 4",
        "assert (",
    ],
)
def test_anything_else_has_no_draft(test: str) -> None:
    """A wrong draft is worse than none."""
    assert questions(test) == ()


def test_tests_without_a_draft_are_named() -> None:
    """They have nbgrader's names; and the head explains where the cases come from."""
    nodes = [
        cell("def double(x):\n    return 2 * x", grade=False, id="answer"),
        cell("assert double(2) == 4", grade=True, id="doubles"),
        cell("for x in (1, 2):\n    assert double(x) == 2 * x", grade=True, id="in_a_loop"),
        cell("assert double('ab') == 'abab'", grade=True, id="text"),
    ]
    cells = cells_of({"cells": nodes})
    text = draft(cells)
    assert left_out(cells, text) == ["in_a_loop"]
    assert left_out(cells, "") == ["doubles", "in_a_loop", "text"]
    assert "text, lists and dicts are the test's own" in text


def test_without_a_question_nothing_is_written() -> None:
    """The result is an empty text instead of an empty module."""
    assert draft(cells_of({"cells": [cell(AREA, grade=False, id="answer")]})) == ""


def test_a_drafted_mistake_keeps_what_its_author_saves_meanwhile(tmp_path: Path) -> None:
    """The file is written twice, and a run that takes seconds is between."""
    path, first = tmp_path / "mistakes.toml", "[new]\nfails = []\n"
    path.write_text(mistakes.added("[old]\n", first))
    assert mistakes.removed(path, "[old]\n", first) == "[old]\n"
    path.write_text(path.read_text().replace("[old]", "[older]"))
    assert mistakes.removed(path, "[old]\n", first) == "[older]\n\n"
    path.write_text("[older]\n")  # an editor that had read it before
    assert mistakes.removed(path, "[old]\n", first) == "[older]\n"
