"""build: a notebook without anything of a homework does not run; answers in any notebook do."""

from dataclasses import replace
from functools import cache

import pytest

from autograder.course import homework as homeworks
from autograder.program import build as building
from autograder.program.build import build
from autograder.records.facts import Submission, SubmissionId, said_to
from autograder.records.homework import Cell, Homework
from tests.helpers import ROOT, of_code, with_cells

NAMES = homeworks.names(ROOT)
SHORT = "def entropy(laws):\n    return laws.sum()"


@cache
def released(name: str) -> Homework:
    """Return a homework with the parts that notebooks are compared with."""
    cells = homeworks.read_cells(ROOT / "release" / name / f"{name}.ipynb")
    return Homework("", (), cells=cells, name=name)


@cache
def answered(name: str) -> Submission:
    cells = homeworks.read_cells(ROOT / "solutions" / name / f"{name}.ipynb")
    return Submission(SubmissionId("someone", "notebook", "0" * 64), cells)


@pytest.mark.parametrize("name", NAMES)
def test_each_other_homeworks_notebook_is_recognised(name: str) -> None:
    """They share provided code and names such as `train`; its own notebook runs."""
    for other in NAMES:
        program = build(answered(other), released(name))
        assert program.unrelated is (other != name), other
        assert any(step.runs for step in program.steps) is (other == name)


def stripped(submission: Submission) -> Submission:
    """Return a notebook without ids and metadata, as Colab saves it."""
    bare = (Cell(f"cell-{n}", c.type, c.source) for n, c in enumerate(submission.cells))
    return replace(submission, cells=(Cell("loop", "code", "while True: pass"), *bare))


@pytest.mark.parametrize("name", [*NAMES, "toy"])
def test_each_other_homework_s_notebook_is_recognised_without_metadata(
    name: str, toy: Homework
) -> None:
    """This covers the unchanged and the answered notebook; its own runs."""
    homework = toy if name == "toy" else released(name)
    for other in NAMES:
        for notebook in (answered(other), replace(answered(other), cells=released(other).cells)):
            assert build(stripped(notebook), homework).unrelated is (other != name), other


def test_one_banner_is_for_the_student_and_one_line_for_staff(toy: Homework) -> None:
    """The texts of the other homework are not written answers."""
    program = build(answered("hw2_transformer"), toy)
    assert said_to(program.repairs, "student") == (building.UNRELATED,)
    assert said_to(program.repairs, "staff") == (building.NOT_RUN,)
    assert (program.written, dict(program.candidates)) == ({"argue": "missing"}, {})
    assert [step.cell for step in program.steps] == [*answered("hw2_transformer").cells]


PASTED = {
    "all": "{answers}",
    "in a branch": "if True:\n    def count_positive(numbers):\n        return 0",
    "a lambda": "count_positive = lambda numbers: (numbers > 0).sum()",
    "two at once": "x, count_positive = 1, len",
    "imported": "from mine import (mean_positive, count_positive)",
    "under a new name": "import numpy as np\nfrom mine import f as count_positive",
    "executed": 'exec("def count_positive(numbers):\\n    return 0")',
    "into the namespace": 'globals()["count_positive"] = len',
    "into a file": "%%writefile mine.py\ndef count_positive(numbers):\n    return 0",
    "not Python": "def count_positive(numbers):\n    return (",
}


@pytest.mark.parametrize("pasted", PASTED.values(), ids=PASTED)
def test_answers_in_a_notebook_with_other_text_are_run(
    toy: Homework, solved: Submission, pasted: str
) -> None:
    """They may be in the student's own notebook, or in that of a different homework."""
    own = [cell.source for cell in solved.cells if cell.role == "answer"]
    source = pasted.replace("{answers}", "\n\n".join(own))
    for before in ((), answered("hw1_toy_attention").cells):
        submission = replace(solved, cells=(*before, Cell("mine", "code", source)))
        program = build(submission, toy)
        assert not program.unrelated
        assert any(step.cell.source == source and step.runs for step in program.steps)


def test_a_helper_may_have_the_answers(toy: Homework) -> None:
    """The notebook itself then needs only one line."""
    submission = of_code("from mine import *")
    assert build(submission, toy).unrelated
    helpers = {"mine.py": "def count_positive(numbers):\n    return 0"}
    assert not build(replace(submission, helpers=helpers), toy).unrelated


def test_one_answer_as_it_was_asked_for_is_run() -> None:
    """If a homework has many answers, a name alone may mean something else."""
    hw5 = released("hw5_memorization")
    program = build(of_code(SHORT), hw5)
    assert not program.unrelated
    assert building.FOREIGN in said_to(program.repairs, "student")
    assert building.FOREIGN in said_to(program.repairs, "staff")
    assert build(of_code(SHORT.replace("laws", "divide")), hw5).unrelated


def test_the_own_text_is_enough(toy: Homework, solved: Submission) -> None:
    """The homework's notebook runs even without any answers, or with all of them broken."""
    lost = [cell for cell in solved.cells if cell.role != "answer"]
    assert not build(replace(solved, cells=tuple(lost)), toy).unrelated
    spoilt = {cell.id: "x = 1" for cell in solved.cells if cell.role == "answer"}
    program = build(with_cells(solved, **spoilt), toy)
    assert not program.unrelated
    assert building.FOREIGN not in said_to(program.repairs, "student")


def test_a_log_is_never_another_homeworks(toy: Homework) -> None:
    """The reader of logs refuses those."""
    submission = of_code("x = 1")
    log = replace(submission, id=replace(submission.id, kind="log"))
    assert not build(log, toy).unrelated


def test_written_answers_in_a_notebook_of_ones_own_wait_for_a_person() -> None:
    """Only a person can tell that a text is not an answer."""
    hw3 = released("hw3_proofs")
    essay = Cell("essay", "markdown", "The variance of a product of independent variables is one.")
    program = build(replace(of_code("x = 1"), cells=(essay,)), hw3)
    assert not program.unrelated
    assigned = Cell("other", "code", "x = 1", grade_id="of_another_homework")
    assert build(replace(of_code("x = 1"), cells=(essay, assigned)), hw3).unrelated
    for stub in ("def f(x):\n    raise NotImplementedError", "# YOUR CODE HERE\nx = 1"):
        assert build(replace(of_code(stub), cells=(essay, *of_code(stub).cells)), hw3).unrelated
