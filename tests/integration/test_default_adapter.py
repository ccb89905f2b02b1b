"""A function of plain values needs no adapter: three lines of spec.py, and parts where it has several points."""

import json
import shutil
from pathlib import Path

import pytest

from autograder.authoring import release
from autograder.authoring.contract import release_gate, rules
from autograder.course import homework, known_answers
from autograder.marking.judge import judge
from autograder.records.facts import Submission
from autograder.records.questions import RESULT
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import SECRET, TOY, executed, with_cells

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]

SPEC = '''"""toy, without an adapter."""

from autograder.kit import Close, Homework, Question

from . import reference
from .cases import cases

HOMEWORK = Homework(
    title="Toy",
    questions=(
        Question("count_positive", check=Close(reference.count_positive, 0.0), cases=cases),
        Question("mean_positive", check=Close(reference.mean_positive, 1e-6), cases=cases),
        Question("argue"),
    ),
)
'''
REFERENCE = '''"""The oracle: what a function of the same name has to give."""


def count_positive(numbers):
    return sum(1 for number in numbers if number > 0)


def mean_positive(numbers):
    above = [number for number in numbers if number > 0]
    return sum(above) / len(above) if above else 0.0
'''
CASES = '''"""Hidden inputs."""

import numpy as np

SIGNS = ((1, -1, 0, 1, -1), (1, 0, 1, -1, 1), (-1, 0, -1), (1,))


def cases(rng):
    return [{"numbers": np.array(signs) * rng.uniform(0.1, 2, len(signs))} for signs in SIGNS]
'''


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The toy course, written in the short form."""
    course = shutil.copytree(TOY, tmp_path / "course").resolve()
    staff = course / "source" / "toy" / "staff"
    (staff / "adapters.py").unlink()
    for name, text in (("spec", SPEC), ("reference", REFERENCE), ("cases", CASES)):
        (staff / f"{name}.py").write_text(text)
    path = course / "source" / "toy" / "toy.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if (id := marks.get("grade_id")) in ("count", "mean"):
            marks["grade_id"] = f"{id}_positive"
            text = "".join(cell["source"])
            cell["source"] = text.replace(f'check("{id}",', f'check("{id}_positive",')
    path.write_text(json.dumps(notebook))
    for file in staff.glob("*/*.py"):
        file.write_text(file.read_text().replace('("count",)', '("count_positive",)'))
        file.write_text(file.read_text().replace('("mean",)', '("mean_positive",)'))
    release.refresh(course, "toy")
    release.write_release(course, "toy")
    return course


def graded(course: Path, submission: Submission, sandbox: Sandbox) -> dict[str, str]:
    """Return what is reported of each question; "" where it earns everything."""
    chosen = homework.load(course, "toy")
    log = executed(submission, chosen, sandbox=sandbox).log
    marks = judge(chosen, log, secret=SECRET).marks
    return {one.question: one.message * (one.earned != one.points) for one in marks}


def test_the_function_of_the_question_s_name_is_called(course: Path, sandbox: Sandbox) -> None:
    """With the inputs in their order, whatever a student calls the parameters."""
    solved = known_answers.instructor(course, homework.load(course, "toy"))
    said = graded(course, solved, sandbox)
    assert said["count_positive"] == said["mean_positive"] == ""
    other = "def count_positive(what):\n    return [abs(x) for x in what]"
    said = graded(course, with_cells(solved, count_answer=other), sandbox)
    assert said["count_positive"].startswith(
        f"For numbers of shape (5,): {RESULT} should have shape ()"
    )
    text = "def count_positive(what):\n    return None"
    said = graded(course, with_cells(solved, count_answer=text), sandbox)
    assert said["count_positive"] == "The result is None: is there a `return`?"


def test_the_contract_holds_without_an_adapter(course: Path) -> None:
    """Every clause but that the solutions were executed, which takes a kernel."""
    broken = [
        f"{one.rule} ({one.case}): {one.detail}"
        for one in rules.clauses(course, "toy")
        if not one.holds and one.rule != "6 solutions are fresh"
    ]
    assert not broken


def test_names_that_reference_and_adapter_do_not_share(tmp_path: Path) -> None:
    """`check` names both and stops: everybody would lose."""
    course = shutil.copytree(TOY, tmp_path / "course").resolve()
    adapters = course / "source" / "toy" / "staff" / "adapters.py"
    adapters.write_text(adapters.read_text().replace('"the count"', '"a count"'))
    clauses = {one.rule: one for one in rules.clauses(course, "toy")}
    assert clauses["1 names agree"].detail == (
        "count: the reference gives 'the count', and count gives 'a count'"
    )
    assert "2 instructor earns all" not in clauses
    assert "3 nothing leaks" not in clauses


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
    release_gate.released(course, "toy")
    return course


def test_each_part_is_marked_and_the_contract_holds(in_parts: Path, sandbox: Sandbox) -> None:
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
        for one in rules.clauses(in_parts, "toy")
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
        homework.HomeworkError, match="its parts have 4 points together, but its cell in"
    ):
        homework.load(other, "toy")
