"""A question in parts: each part earns its own points, and the contract holds."""

import json
from pathlib import Path

import pytest

from autograder.authoring.proof import contract, released
from autograder.course import homework, known_answers
from autograder.marking.judge import judge
from tests.helpers import SECRET, executed, with_cells
from tests.integration.test_default_adapter import SPEC
from tests.integration.test_default_adapter import course as course

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]

PARTS = """Parts(
                Part("some above zero", Close(reference.mean_positive), 2, where=some),
                Part("none above zero", Exact(reference.mean_positive), 1, where=none),
            ), cases=cases, shown=[{"numbers": np.array([0.5, 1.0, -1.0])}, {"numbers": np.array([-1.0])}]"""
WHERE = """

def some(numbers):
    return max(numbers) > 0


def none(numbers):
    return max(numbers) <= 0


HOMEWORK ="""
SPEC_IN_PARTS = (
    SPEC.replace("check=Close(reference.mean_positive, 1e-6), cases=cases", PARTS)
    .replace(
        "from autograder.kit import Close",
        "import numpy as np\n\nfrom autograder.kit import Close, Exact, Part, Parts",
    )
    .replace("\nHOMEWORK =", WHERE)
)


@pytest.fixture
def in_parts(course: Path) -> Path:
    """The toy course, whose second question is in parts, with the check that follows from `shown`."""
    course = course.rename(course.with_name("in_parts"))  # Python knows the other one's modules
    (course / "source" / "toy" / "staff" / "spec.py").write_text(SPEC_IN_PARTS)
    path = course / "source" / "toy" / "toy.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "mean_positive":
            cell["source"] = ""
    path.write_text(json.dumps(notebook))
    released.released(course, "toy")
    return course


def test_each_part_is_marked_and_the_contract_holds(in_parts: Path, sandbox: object) -> None:
    """A known mistake loses one part alone, which is enough to be in its FAILS."""
    chosen = homework.load(in_parts, "toy")
    solved = known_answers.instructor(in_parts, chosen)
    found = {}
    for name, mean in {
        "right": "sum(above) / len(above) if above else 0.0",
        "wrong": "sum(above) / len(numbers)",
        "raises": "sum(above) / len(above)",
        "both": "1e9",
    }.items():
        text = f"def mean_positive(numbers):\n    above = [float(n) for n in numbers if n > 0]\n    return {mean}"
        state = executed(with_cells(solved, mean_answer=text), chosen, sandbox=sandbox)
        (mark,) = (
            m
            for m in judge(chosen, state.log, secret=SECRET).marks
            if m.question == "mean_positive"
        )
        found[name] = mark
    assert [one.earned for one in found.values()] == [3, 1, 2, 0]
    assert [one.verdict for one in found.values()] == ["passed", "partly", "partly", "failed"]
    assert "- some above zero (2 of 2 points): right." in found["raises"].message
    assert "ZeroDivisionError" in found["raises"].message
    assert "- none above zero (1 of 1 point): right." in found["wrong"].message
    broken = [
        f"{one.rule} ({one.case}): {one.detail}"
        for one in contract.clauses(in_parts, "toy")
        if not one.holds and one.rule != "6 solutions are fresh"
    ]
    assert not broken


def test_points_that_are_not_the_cell_s(in_parts: Path) -> None:
    """One line says what the parts have, and what the cell."""
    path = in_parts / "source" / "toy" / "staff" / "spec.py"
    path.write_text(
        SPEC_IN_PARTS.replace(
            "Close(reference.mean_positive), 2", "Close(reference.mean_positive), 3"
        )
    )
    other = in_parts.rename(in_parts.with_name("other"))
    with pytest.raises(
        homework.HomeworkError, match="its parts have 4 points together, and its cell in"
    ):
        homework.load(other, "toy")
