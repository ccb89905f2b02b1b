"""visible_checks: checks' cells without their call, and the conditions for calling every check."""

import pytest

from autograder.program.build import build
from autograder.program.visible_checks import leaves_something, uncalled, without_call
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from tests.helpers import with_added, with_cells

BODY = "def complaint():\n    return None\n\n\n"


@pytest.mark.parametrize(
    ("call", "left"),
    [
        ('check("mean", complaint)', "pass"),
        ("check('mean', complaint, 'mean', again=False)", "pass"),
        ('check_lines("mean", complaint)', "pass"),
        ('check(\n    "mean",\n    complaint,\n)\nLIMIT = 3', "pass\n\n\n\nLIMIT = 3"),
    ],
)
def test_all_but_the_call_stays_where_it_is(call: str, left: str) -> None:
    """Lines stay in place, so that a traceback has the same numbers."""
    assert without_call(BODY + call, "mean") == BODY + left


@pytest.mark.parametrize(
    "call",
    [
        'check("count", complaint)',
        'said = check("mean", complaint)',
        'checked("mean", complaint)',
        'grader.check("mean")',
        'if True:\n    check("mean", complaint)',
        'LIMIT = 3; check("mean", complaint)',
        "assert mean([1]) == 1",
        "check(",
    ],
)
def test_what_is_no_plain_call_of_the_check_is_left_alone(call: str) -> None:
    assert without_call(BODY + call, "mean") == ""


LEAVES = [
    "def f(x):\n    global W\n    W = x",
    "def f(x):\n    SEEN[0] = x",
    "def f(x):\n    SEEN.append(x)",
    "def f(x):\n    del SEEN[x]",
    "def f(x):\n    f.last = x",
    "def f(x):\n    globals()['W'] = x",
    "def f(x):\n    model.layers[0].weight.data.add_(x)",
    "class Model:\n    def forward(self, x):\n        Model.last = x",
    "def f(x):\n    def g():\n        SEEN[0] += x\n    g()",
    "def f(x)\n    return x",
]
PURE = [
    "def f(x):\n    x = x + 1\n    x[0] = 2\n    return x",
    "def f(x):\n    seen = {}\n    seen[0] = x\n    seen.update(a=1)\n    return seen",
    "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = 1",
    "def f(w):\n    for p in w:\n        p.data.add_(1)\n    torch.manual_seed(0)\n    return w",
    "def f(x):\n    np.add.at(x, 0, 1)\n    print(x)\n    return SEEN[0]",
    "W = {}\nW[0] = 1",
    "",
]


@pytest.mark.parametrize("source", LEAVES)
def test_a_function_that_leaves_something(source: str) -> None:
    assert leaves_something(source, {"np", "torch", "nn"})


@pytest.mark.parametrize("source", PURE)
def test_a_function_that_leaves_nothing(source: str) -> None:
    assert not leaves_something(source, {"np", "torch", "nn"})


def test_the_check_of_each_question_waits(toy: Homework, solved: Submission) -> None:
    """Not if an answer has lasting effects, and not if the notebook has its own check."""
    program = build(solved, toy)
    stops = set(program.stops.values())
    assert uncalled(program, toy.cells).keys() == stops
    assert not uncalled(program, [cell for cell in toy.cells if cell.id != "check_tool"])
    kept = with_cells(solved, count_answer="def count_positive(numbers):\n    np.kept.x = 1")
    assert uncalled(build(kept, toy), toy.cells).keys() == stops
    added = with_added(solved, "def own(numbers):\n    NUMBERS[0] = 1")
    assert not uncalled(build(added, toy), toy.cells)
