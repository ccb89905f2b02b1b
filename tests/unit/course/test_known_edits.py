"""EDITS of a known answer: replaced pieces of the instructor's answer cells."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from autograder.course import known_answers
from autograder.course.homework import HomeworkError
from autograder.course.known_answers import KnownAnswer
from autograder.records.homework import Cell, Homework
from tests.helpers import TOY

PROVIDED = "import numpy as np\nLIMIT = 3\n"
MEANS = '''import math
from functools import cache

FACTOR = 2


def root_mean(numbers):
    """Return the root of the mean."""
    ### BEGIN SOLUTION
    total = sum(numbers)  # of all
    return math.sqrt(total / len(numbers))
    ### END SOLUTION


@cache
def twice(number):
    return FACTOR * number
'''
SHAPES = """class Square:
    def area(self, side):
        return side * side

    def outline(self, side):
        return 4 * side
"""


CELLS = (
    Cell("tools", "code", PROVIDED),
    Cell("means", "code", MEANS, role="answer"),
    Cell("shapes", "code", SHAPES, role="answer"),
    Cell("words", "markdown", "The mean is a sum, divided.", role="answer"),
)


def known(
    tmp_path: Path, toy: Homework, edits: object, *, definitions: str = "", cells: Any = CELLS
) -> KnownAnswer:
    """Read a file with these EDITS, and definitions beside them."""
    path = tmp_path / "other.py"
    path.write_text(f'"""Another."""\n\nEDITS = {edits!r}\n\n\n{definitions}', encoding="utf-8")
    return known_answers.read(tmp_path, toy, path, cells=cells)


def sources(answer: KnownAnswer) -> dict[str, str]:
    return {cell.id: cell.source for cell in answer.submission.cells}


def run(*texts: str) -> dict[str, Any]:
    """Evaluate cells one after another in one notebook."""
    names: dict[str, Any] = {}
    for text in texts:
        exec(text, names)
    return names


def test_an_edit_changes_its_cell_and_no_other(tmp_path: Path, toy: Homework) -> None:
    """The rest of the cell stays, including comments and markers."""
    answer = known(tmp_path, toy, {"total / len(numbers)": "total"})
    changed = MEANS.replace("total / len(numbers)", "total")
    assert sources(answer) == {cell.id: cell.source for cell in CELLS} | {"means": changed}
    assert answer.written.says == "Another."


@pytest.mark.parametrize("turned", [False, True])
def test_edits_of_one_cell_add_up_in_any_order(tmp_path: Path, toy: Homework, turned: bool) -> None:
    """This includes texts that grow, and edits in other cells."""
    edits = {
        "sum(numbers)": "sum(abs(number) for number in numbers)",
        "math.sqrt(total / len(numbers))": "total",
        "4 * side": "side",
    }
    answer = known(tmp_path, toy, dict(reversed(edits.items())) if turned else edits)
    names = run(*(sources(answer)[id] for id in ("means", "shapes")))
    assert names["root_mean"]([-1, 2]) == 3
    assert names["Square"]().outline(5) == 5
    assert names["Square"]().area(5) == 25


def test_neighbours_do_not_overlap(tmp_path: Path, toy: Homework) -> None:
    """One edit may end where the next begins."""
    answer = known(tmp_path, toy, {"total / ": "total * ", "len(numbers)": "3"})
    assert "math.sqrt(total * 3)" in sources(answer)["means"]


def test_define_has_what_differs_after_the_imports_of_its_cell(
    tmp_path: Path, toy: Homework
) -> None:
    """It contains neither unchanged code nor the imports of other cells."""
    define = known(tmp_path, toy, {"total / len(numbers)": "total"}).define
    lines = define.splitlines()
    assert lines[:2] == ["import math", "from functools import cache"]
    assert lines[4] == "def root_mean(numbers):"
    assert "FACTOR" not in define
    assert "numpy" not in define


def test_define_keeps_decorators_and_constants(tmp_path: Path, toy: Homework) -> None:
    """A changed constant is a statement, too; the functions around it see it."""
    assert "@cache\ndef twice" in known(tmp_path, toy, {"FACTOR * number": "number"}).define
    define = known(tmp_path, toy, {"FACTOR = 2": "FACTOR = 3"}).define
    assert "def " not in define
    assert run(PROVIDED, MEANS, define)["twice"](2) == 6


def test_define_does_in_a_notebook_that_ran_what_the_edited_cell_does(
    tmp_path: Path, toy: Homework
) -> None:
    """It replaces the instructor's functions, even if several cells are edited."""
    answer = known(tmp_path, toy, {"sum(numbers)": "max(numbers)", "side * side": "side + side"})
    names = run(PROVIDED, MEANS, SHAPES, answer.define)
    assert names["root_mean"]([8, 2]) == 2
    assert names["Square"]().area(3) == 6
    assert names["twice"](2) == 4


def test_an_import_may_be_edited(tmp_path: Path, toy: Homework) -> None:
    """`define` contains it once."""
    define = known(tmp_path, toy, {"import math\n": "import cmath as math\n"}).define
    assert define.strip() == "import cmath as math\nfrom functools import cache"


DEFINITION = "import cmath\n\n\ndef root_mean(numbers):\n    return cmath.sqrt(sum(numbers))\n"


def test_definitions_stand_beside_edits(tmp_path: Path, toy: Homework) -> None:
    """They may be in a different cell, or in a different function of the same cell."""
    edits = {"side * side": "side", "FACTOR * number": "number"}
    answer = known(tmp_path, toy, edits, definitions=DEFINITION)
    for names in (
        run(*(sources(answer)[id] for id in ("tools", "means", "shapes"))),
        run(PROVIDED, MEANS, SHAPES, answer.define),
    ):
        assert names["root_mean"]([-4]) == 2j
        assert names["twice"](2) == 2
        assert names["Square"]().area(3) == 3


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        (["total"], 'EDITS is not a dict of texts, such as {"text": "new text"}'),
        ({"total": 3}, 'EDITS is not a dict of texts, such as {"text": "new text"}'),
        ({3: "total"}, 'EDITS is not a dict of texts, such as {"text": "new text"}'),
        ({"mean(numbers)\n": "x"}, r"EDITS: no answer cell has 'mean(numbers)\n'"),
        ({"LIMIT = 3": "LIMIT = 4"}, "EDITS: no answer cell has 'LIMIT = 3'"),
        ({"divided": "added"}, "EDITS: no answer cell has 'divided'"),
        (
            {"sum(numbers)": "max(numbers)", "max(numbers)": "3"},
            "EDITS: no answer cell has 'max(numbers)'",
        ),
        (
            {"(numbers)": "(3)"},
            "EDITS: '(numbers)' occurs 3 times in the answer cells; quote more of the line",
        ),
        (
            {"def ": "async def "},
            "EDITS: 'def ' occurs 4 times in the answer cells; quote more of the line",
        ),
        (
            {"total / len": "len", "len(numbers))": "3)"},
            "EDITS: 'total / len' and 'len(numbers))' overlap",
        ),
        (
            {"math.sqrt(total / len(numbers))": "1", "total / len": "len"},
            "EDITS: 'math.sqrt(total / len(numbers))' and 'total / len' overlap",
        ),
        (
            {"len(numbers))": "len(numbers)"},
            "EDITS: line 11 of the cell 'means' is not Python after the edit: '(' was never closed",
        ),
        ({"4 * side": "4 * side"}, "EDITS: '4 * side' changes nothing"),
        ({"# of all": "# of some"}, "EDITS: no statement changes in the cell 'means'"),
    ],
)
def test_an_edit_that_cannot_be_made_is_one_line(
    tmp_path: Path, toy: Homework, edits: object, said: str
) -> None:
    """It names the file, the text, and the remedy."""
    with pytest.raises(HomeworkError) as caught:
        known(tmp_path, toy, edits)
    assert str(caught.value) == f"other.py: {said}"


def test_texts_that_overlap_themselves_are_counted(tmp_path: Path, toy: Homework) -> None:
    """`1, 1` occurs twice in `1, 1, 1`."""
    cells = [Cell("row", "code", "def row():\n    return 1, 1, 1\n", role="answer")]
    with pytest.raises(HomeworkError, match=r"'1, 1' occurs 2 times in the answer cells"):
        known(tmp_path, toy, {"1, 1": "2"}, cells=cells)


def test_a_definition_is_not_edited_as_well(tmp_path: Path, toy: Homework) -> None:
    """One of the two would be lost."""
    with pytest.raises(HomeworkError) as caught:
        known(tmp_path, toy, {"total / len": "len"}, definitions=DEFINITION)
    said = "other.py: EDITS: root_mean is changed, but the file also defines it"
    assert str(caught.value) == said


def test_edits_of_a_course_are_found_beside_what_they_edit(toy: Homework, tmp_path: Path) -> None:
    """Without cells of its own, a file is compared with the instructor's notebook."""
    path = tmp_path / "x.py"
    path.write_text('"""Zeros, too."""\nEDITS = {"(numbers > 0).sum()": "(numbers >= 0).sum()"}\n')
    answer = known_answers.read(TOY, toy, path)
    kept: Mapping[str, str] = {c.id: c.source for c in known_answers.instructor(TOY, toy).cells}
    assert {id for id, text in sources(answer).items() if text != kept[id]} == {"count_answer"}
