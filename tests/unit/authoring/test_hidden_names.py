"""Names that only hidden tests and solutions bind are found, and hidden tests get copies."""

import pytest

from autograder.authoring import hidden_names
from autograder.records.homework import Cell

DOUBLE = "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"


def hidden(*lines: str) -> str:
    """Return lines hidden in nbgrader's form."""
    return "\n".join(["### BEGIN HIDDEN TESTS", *lines, "### END HIDDEN TESTS"])


def cells(*sources: str | tuple[str, str]) -> list[Cell]:
    """Return an answer, with tests t1, t2, ... below it; a pair is a role and a text."""
    made = [Cell("a", "code", DOUBLE, grade_id="a", role="answer")]
    for number, one in enumerate(sources, start=1):
        role, source = one if isinstance(one, tuple) else ("check", one)
        made.append(Cell(f"t{number}", "code", source, grade_id=f"t{number}", role=role))  # type: ignore[arg-type]
    return made


def found(*sources: str | tuple[str, str]) -> dict[str, tuple[str, str]]:
    """Return what each cell lacks: names, and the code that binds them."""
    return {
        one.cell.id: (" ".join(one.names), one.code)
        for one in hidden_names.lacking(cells(*sources))
    }


@pytest.mark.parametrize(
    ("first", "second", "names", "code"),
    [
        ("right = 4\nassert double(2) == right", "assert double(2) == right", "right", "right = 4"),
        ("right = 4", hidden("assert double(2) == right"), "right", "right = 4"),
        ("import math as m", "assert m.pi", "m", "import math as m"),
        ("from math import *", "assert sqrt(4) == 2", "sqrt", "from math import *"),
        ("right = 4; assert double(2) == right", "right", "right", "right = 4"),
        ("%time slow = double(3)", "assert slow == 6", "slow", "%time slow = double(3)"),
        ("files = !ls", "assert files", "files", "files = !ls"),
        ("right = 1\nright += 3", "right", "right", "right = 1\nright += 3"),
        ("right = []\nright.append(4)", "right", "right", "right = []\nright.append(4)"),
        ("right = {}\nright[1] = 4", "right", "right", "right = {}\nright[1] = 4"),
        ("a = 1\nb = a + 1\nc = 3", "assert b", "b", "a = 1\nb = a + 1"),
        (
            "import numpy as np\ndef right(x):\n    return np.abs(also(x))\ndef also(x):\n    return x",
            "def tested(x):\n    return right(x)\nassert tested(1) == 1",
            "right",
            "import numpy as np\ndef right(x):\n    return np.abs(also(x))\ndef also(x):\n    return x",
        ),
        (
            "class Right:\n    def of(self):\n        return 4",
            "Right().of()",
            "Right",
            "class Right:\n    def of(self):\n        return 4",
        ),
        (
            "def input(said=''):\n    return '3'",
            "assert asked() == 3",
            "input",
            "def input(said=''):\n    return '3'",
        ),
        ("right = 4", "del right", "right", "right = 4"),
    ],
)
def test_a_test_gets_what_a_hidden_one_above_binds(
    first: str, second: str, names: str, code: str
) -> None:
    """It gets everything that the name needs, but no assert."""
    asked = ("answer", "def asked():\n    return int(input())")
    assert found(asked, hidden(*first.split("\n")), second) == {"t3": (names, code)}


@pytest.mark.parametrize(
    "sources",
    [
        (hidden("right = 4"), "right = 5\nassert right"),
        (hidden("right = 4", "del right"), "assert right"),
        (hidden("right = 4"), ("provided", "right = 5"), "assert right"),
        (hidden("right = 4"), ("answer", "right = 5"), "assert right"),
        (hidden("for n in [1]:", "    want = 2", "    assert n"), "for n in [2]:\n    want = n\nn"),
        (hidden("x = 4"), "assert [x for x in range(3)] and (lambda x: x)(1)"),
        (hidden("x = 4"), "def double_of(x):\n    return x\nassert double_of(1)"),
        (hidden("import numpy as np", "np.seterr(all='raise')"), "import numpy as np\nnp.abs(1)"),
        (hidden("right = 4", "assert right"),),
        (hidden("this is not Python"), "assert right"),
        (hidden("kept = double", "def double(x):", "    return 0", "double = kept"), "double(1)"),
        (
            hidden(
                "kept = double", "del double", "try:", "    f()", "finally:", "    double = kept"
            ),
            "double(1)",
        ),
        (
            ("provided", "data = [1]"),
            hidden("for data in ([1], [2]):", "    assert double(data)"),
            "assert data == [1]",
        ),
        (("answer", "stack = []"), hidden("stack.append(1)", "stack[0] = 2"), "assert stack"),
    ],
)
def test_nothing_is_copied_that_is_there_or_bound_anew(sources: tuple[str, ...]) -> None:
    """Loop variables, arguments and a test's own names do not come from a different test.

    A hidden test may replace an answer and restore it: a copy would fail if that test does.
    """
    assert found(*sources) == {}


def test_what_a_hidden_test_changes_is_named_and_not_changed_twice() -> None:
    """Students have such a list: in the instructor's notebook, a copy would change it twice."""
    given = ("provided", "data = [1]\nlimit = 1\ncase = unittest.TestCase()")
    first = hidden("data.append(2)", "limit = 2", "case.assertEqual(double(1), 2)")
    assert found(given, first, "assert len(data) == limit and case") == {"t3": ("data limit", "")}
    assert "t3 (`data`, `limit` of t2)" in hidden_names.remark(cells(given, first, "data, limit"))


def test_what_a_given_line_or_an_answer_needs_is_named() -> None:
    """The names that a given line would bind are absent, and a hidden test must not repeat it."""
    given, answer = ("provided", "table = [right]"), ("answer", "mine = right + 1")
    assert found(hidden("right = 4"), given, answer, "assert table and mine") == {
        "t2": ("right", "right = 4"),
        "t3": ("right", "right = 4"),
        "t4": ("table", ""),
    }


def test_a_test_with_its_names_lacks_nothing() -> None:
    """They go into a new hidden test, below any magic for the whole cell."""
    made = cells(hidden("right = 4"), "%%time\nassert double(2) == right")
    (one,) = hidden_names.lacking(made)
    text = hidden_names.with_names(one.cell, one.code)
    assert text.split("\n") == [
        "%%time",
        "### BEGIN HIDDEN TESTS",
        "right = 4",
        "### END HIDDEN TESTS",
        "assert double(2) == right",
    ]
    assert "t2 (`right` of t1)" in hidden_names.remark(made)
    mended = [*made[:-1], Cell("t2", "code", text, grade_id="t2", role="check")]
    assert hidden_names.remark(mended) == ""


SOLVED = (
    "### BEGIN SOLUTION\nimport math\ndef helper(x):\n    return x\ntotal = 3\n### END SOLUTION"
)


@pytest.mark.parametrize(
    ("test", "names"),
    [
        (hidden("assert helper(1) == 1"), ["helper"]),
        ("assert helper(1) == 1", []),
        ("# call it helper\n" + hidden("assert helper(1) == 1"), []),
        ("assert math.pi > 3", ["math"]),
        ("import math\nassert math.pi > 3", []),
        (hidden("helper = 3", "assert helper"), []),
    ],
)
def test_a_name_that_nobody_is_told_is_found(test: str, names: list[str]) -> None:
    """This covers solutions' names in hidden tests, and modules that students lack, anywhere."""
    assert list(hidden_names.untold(cells(("answer", SOLVED), test))) == names
