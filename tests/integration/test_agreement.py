"""A small homework that keeps the contract, and for each new rule one that breaks it and is refused."""

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder.authoring import release
from autograder.authoring.contract import graded, mutation, rules
from autograder.course import homework
from autograder.records.homework import Homework

pytestmark = [pytest.mark.slow, pytest.mark.turns(8)]

TEXT = (
    "**`total`**: the sum of the positive numbers of `x`, in torch, so that gradients flow to `x`."
)
ANSWER = '''\
def total(x):
    """Return the sum of the positive numbers of x, a tensor (n,)."""
    ### BEGIN SOLUTION
    return torch.relu(x).sum()
    ### END SOLUTION'''
VISIBLE = """\
def total_complaint():
    x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    out = total(x)
    if wrong := difference(out, 4.0):
        return wrong
    if not getattr(out, "requires_grad", False):
        return "no gradient flows"


check("total", total_complaint)"""
SPEC = """\
from autograder.kit import Ask, Close, Homework, Question

from . import cases, reference

HOMEWORK = Homework(
    title="Mini",
    questions=(
        Question(
            "total",
            Ask("total", ("total",)),
            Close(reference.total, 1e-6, lambda inputs: f"{len(inputs['x'])} numbers"),
            cases.draw,
            gradients=True,
        ),
    ),
)
"""
ADAPTERS = """\
import torch


def total(function, x):
    given = torch.tensor(x, requires_grad=True)
    out = function(given)
    cut_off = not getattr(out, "requires_grad", False)
    (slope,) = [0 * given] if cut_off else torch.autograd.grad(out, given)
    return {"the total": out, "the gradient": slope}
"""
REFERENCE = """\
import numpy as np


def total(x):
    found, slope = 0.0, np.zeros(len(x))
    for place, number in enumerate(x):
        if number > 0:
            found += number
            slope[place] = 1.0
    return {"the total": np.array(found), "the gradient": slope}
"""
CASES = """\
import numpy as np


def draw(rng):
    signs = (-1, 1, 1), (1, -1, 1), (1, 1, -1, -1)
    return [{"x": np.array(one) * rng.uniform(2, 4, len(one))} for one in signs]
"""
WRONG = '''\
"""It adds the negative numbers, too."""

FAILS = ("total",)
NUDGE = "Which numbers count?"
EXPLANATION = "All numbers are added, and not the positive ones alone."


def total(x):
    return x.sum()
'''
RIGHT = '''\
"""A mask in place of a function."""


def total(x):
    return (x * (x > 0)).sum()
'''


def write(course: Path, **changed: str) -> None:
    """Write the homework `mini`, with some of its texts changed."""
    texts = {"TEXT": TEXT, "VISIBLE": VISIBLE, "ANSWER": ANSWER} | changed
    folder = course / "source" / "mini"
    (course / "course.toml").write_text(
        'title = "Mini"\nterm = "Spring"\nsecret = "mini"\npackages = ["torch"]\n'
    )
    for name, default in (
        ("spec.py", SPEC),
        ("adapters.py", ADAPTERS),
        ("reference.py", REFERENCE),
        ("cases.py", CASES),
        ("wrong/adds_all.py", WRONG),
        ("right/mask.py", RIGHT),
    ):
        path = folder / "staff" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(changed.get(path.stem.upper(), default))
    v4 = nbformat.v4

    def graded(solution: bool) -> dict[str, object]:
        points = {} if solution else {"points": 2}
        grade_id = "total_answer" if solution else "total"
        marks = {"grade": not solution, "solution": solution, "locked": not solution}
        return {
            "nbgrader": {
                **marks,
                **points,
                "grade_id": grade_id,
                "schema_version": 3,
                "task": False,
            }
        }

    notebook = v4.new_notebook(
        cells=[
            v4.new_markdown_cell(texts["TEXT"], id="text"),
            v4.new_code_cell("import numpy as np\nimport torch", id="imports"),
            v4.new_code_cell("", id="check_tool"),
            v4.new_code_cell(texts["ANSWER"], id="total_answer", metadata=graded(True)),
            v4.new_code_cell(texts["VISIBLE"], id="total", metadata=graded(False)),
        ]
    )
    nbformat.write(notebook, folder / "mini.ipynb")
    release.refresh(course, "mini")
    release.write_release(course, "mini")


def refused(course: Path) -> Iterator[tuple[str, str]]:
    """Yield the rules that are broken, and why; solutions were not made."""
    for clause in rules.clauses(course, "mini"):
        if not clause.holds and not clause.rule.startswith("6"):
            yield clause.rule, f"{clause.case}: {clause.detail}"


def test_a_sound_homework_is_accepted(tmp_path: Path) -> None:
    """Nothing in it breaks a rule, so that each break below is the only one."""
    write(tmp_path)
    assert list(refused(tmp_path)) == []


BLIND = SPEC.replace("1e-6", "1e6")
NO_REPEAT = CASES.replace("(-1, 1, 1), (1, -1, 1)", "(1, -1)")
POSITIVE = CASES.replace("-1", "1")
UNWATCHED = SPEC.replace('("total",)),', '("total",), may_mutate=("total",)),')
UNSAID = SPEC.replace("gradients=True", "gradients=None")
NO_GRADIENT = {
    "ADAPTERS": ADAPTERS.replace(', "the gradient": slope', ""),
    "REFERENCE": REFERENCE.replace(', "the gradient": slope', ""),
}

VALUE_ALONE = """\
import torch


def total(function, x):
    return {"the total": function(torch.tensor(x))}
"""


# What is not a number becomes the right one before the hidden check sees it.
FORGIVING = {
    "SPEC": SPEC.replace("gradients=True", "gradients=False"),
    "REFERENCE": NO_GRADIENT["REFERENCE"],
    "VISIBLE": VISIBLE.split("    if not getattr")[0] + '\n\ncheck("total", total_complaint)',
    "ADAPTERS": """\
import torch


def total(function, x):
    out = torch.as_tensor(function(torch.tensor(x)))
    return {"the total": torch.where(out.isnan(), torch.tensor(x).relu().sum(), out)}
""",
}
# For NaN, `>` is False.
TAKES_NAN = VISIBLE.replace(
    "    if wrong := difference(out, 4.0):\n        return wrong",
    '    if abs(float(out) - 4.0) > 1e-6:\n        return "it is not 4"',
)
NEAR = """\
class Near(Close):
    def __call__(self, inputs, value):
        right = self.expected(inputs).items()
        far = any((abs(np.asarray(value[name]) - item) > 1e-6).any() for name, item in right)
        return Verdict(1.0 - far, "")


HOMEWORK ="""
HIDDEN_TAKES_NAN = "import numpy as np\n\n" + (
    SPEC.replace("HOMEWORK =", NEAR)
    .replace("Close(reference.total", "Near(reference.total")
    .replace("Homework, Question", "Homework, Question, Verdict")
)
NEVER_SAID = VISIBLE.replace(
    "    if not getattr", '    if out.ndim > 7:\n        return "too many axes"\n    if not getattr'
)
TAME = CASES.replace("uniform(2, 4", "uniform(0.1, 1")
SHORT = VISIBLE.replace("[1.0, -2.0, 3.0]", "[1.0, -2.0, 3.0, 0.0, 0.0]")
# An answer that is a class, of which the adapter makes one object and calls it in four lengths.
_CALLED = "def total(x):\n    return", "class total:\n    def __call__(self, x):\n        return"
OBJECT = {
    "ANSWER": """\
class total:
    def __call__(self, x):
        ### BEGIN SOLUTION
        return torch.relu(x).sum()
        ### END SOLUTION""",
    "ADDS_ALL": WRONG.replace(*_CALLED),
    "MASK": RIGHT.replace(*_CALLED),
    "VISIBLE": FORGIVING["VISIBLE"].replace("total(x)", "total()(x)"),
    "SPEC": SPEC.replace('("total",)),', '("total",), may_mutate=("total",)),').replace(
        "=True", "=False"
    ),
    "ADAPTERS": """\
import torch


def total(kind, x):
    made = kind()
    parts = x[:2], x, x[:1], x[-2:]
    return {"the totals": [float(made(torch.tensor(part))) for part in parts]}
""",
    "REFERENCE": """\
import numpy as np


def total(x):
    parts = x[:2], x, x[:1], x[-2:]
    found = [sum(number for number in part if number > 0) for part in parts]
    return {"the totals": np.array(found)}
""",
}
ONE_CALL = {
    **OBJECT,
    "ADAPTERS": OBJECT["ADAPTERS"].replace("made = kind()\n    ", "").replace("made(", "kind()("),
}
ONE_LENGTH = {
    name: text.replace("x[:2], x, x[:1], x[-2:]", "x[:2], x[-2:]") for name, text in OBJECT.items()
}


def test_an_object_is_called_in_other_lengths_and_orders(tmp_path: Path) -> None:
    """So an answer that keeps anything from its first call loses."""
    write(tmp_path, **OBJECT)
    assert list(refused(tmp_path)) == []


@pytest.mark.parametrize(
    ("changed", "rule", "said"),
    [
        (
            {"VISIBLE": TAKES_NAN},
            "12 spoiled values lose",
            "total: the visible check prints passed",
        ),
        (
            {"SPEC": HIDDEN_TAKES_NAN},
            "12 spoiled values lose",
            "total: its check takes NaN",
        ),
        (
            FORGIVING,
            "12 spoiled values lose",
            "total: the grader accepts a `total` that",
        ),
        (
            {"VISIBLE": NEVER_SAID},
            "11 each complaint is triggered",
            "no known answer triggers line 8 of the cell 'total'",
        ),
        ({"CASES": TAME}, "11 hidden inputs are as extreme", "`x` has numbers up to 3, and hidden"),
        (ONE_CALL, "9 careless answers lose", "keeps the first value of each object"),
        (ONE_LENGTH, "9 careless answers lose", "takes none larger"),
        ({"SPEC": BLIND}, "8 visible and hidden agree", "adds_all: the visible check of total"),
        (
            {"VISIBLE": VISIBLE.replace('"total", ', '"totl", ')},
            "8 visible and hidden agree",
            "the check cell of total does not print [total]; begin its call with check('total'",
        ),
        ({"CASES": NO_REPEAT}, "9 a shape comes twice", "total"),
        ({"SPEC": UNSAID}, "9 gradients are declared", "total"),
        (NO_GRADIENT, "9 careless answers lose", "cuts gradients off"),
        ({"CASES": POSITIVE}, "9 every branch is reached", "reference.py: line 7"),
        (
            {"ADAPTERS": ADAPTERS.replace("function(given)", "function.__wrapped__(given)")},
            "9 careless answers lose",
            "changes the arrays",
        ),
        (
            {
                "SPEC": BLIND.replace("gradients=True", "gradients=False"),
                "ADAPTERS": VALUE_ALONE,
                "REFERENCE": NO_GRADIENT["REFERENCE"],
            },
            "9 careless answers lose",
            "keeps its first value by the shapes",
        ),
    ],
)
def test_each_rule_is_kept_by_a_clause(
    tmp_path: Path, changed: dict[str, str], rule: str, said: str
) -> None:
    """A homework that breaks one is refused by `autograder check`, with the question's name."""
    write(tmp_path, **changed)
    found = list(refused(tmp_path))
    assert rule in dict(found), found
    assert any(said in line for name, line in found if name == rule), found


def test_a_zero_that_only_a_visible_input_has_is_noted(tmp_path: Path) -> None:
    """It is harmless by itself, and the line explains what to do if it is not."""
    write(tmp_path, VISIBLE=SHORT)
    (found,) = (c for c in rules.clauses(tmp_path, "mini") if c.rule.startswith("11 hidden"))
    assert found.holds
    assert "note that `x` has zeros, and hidden ones none: draw one if 0 is" in found.detail


def test_a_visible_check_that_refuses_a_right_answer_is_no_agreement(tmp_path: Path) -> None:
    """What the hidden check accepts in another form, the visible one has to accept."""
    strict = VISIBLE.replace(
        "out = total(x)", "out = total(x)\n    assert 'Relu' in str(out.grad_fn.next_functions)"
    )
    write(tmp_path, VISIBLE=strict)
    found = dict(refused(tmp_path))
    assert found["8 visible and hidden agree"].startswith("mask: the visible check of total")


def test_a_visible_check_notices_known_mistakes(tmp_path: Path) -> None:
    """If only hidden inputs reveal a mistake, its file says so, with the reason."""
    kind = VISIBLE.replace("-2.0", "2.0").replace("4.0", "6.0")
    write(tmp_path, VISIBLE=kind)
    said = (
        "adds_all: the visible check of total passes staff/wrong/adds_all.py; show an input that "
        'reveals it, or give the mistake `UNSEEN = {"total": "why"}`'
    )
    assert dict(refused(tmp_path)) == {"4 visible checks notice": said}
    write(tmp_path, VISIBLE=kind, ADDS_ALL=f'{WRONG}\nUNSEEN = {{"total": "it is positive"}}\n')
    assert dict(refused(tmp_path)) == {}


def test_a_check_that_only_asserts_is_not_said_to_refuse(tmp_path: Path) -> None:
    """It prints nothing for students, so the lines claim nothing about it."""
    write(tmp_path, VISIBLE="assert total(torch.tensor([1.0, -2.0])) == 1")
    found = {clause.rule: clause for clause in rules.clauses(tmp_path, "mini")}
    assert found["4 visible checks notice"].detail == "no visible check reports total"
    assert found["8 visible and hidden agree"].detail.endswith("no visible check reports total")
    assert found["11 hidden inputs are as extreme"].detail == "none is visible"


def test_what_is_built_on_a_refused_answer_is_not_silent(toy: Homework) -> None:
    """The check of `count` tells where to begin; where it has no complaint either, nobody is told."""
    lost = ("count", "mean")
    assert graded.silent({"count": False, "mean": True}, lost, toy) == set()
    assert graded.silent({"count": True, "mean": True}, ("mean",), toy) == {"mean"}
    assert graded.silent({"count": True, "mean": False}, lost, toy) == {"count"}
    assert graded.silent({}, lost, toy) == set()


def test_mutants_are_shown_to_the_visible_checks(tmp_path: Path) -> None:
    """Of two forms that the hidden check takes for the same, the visible one refuses one."""
    write(
        tmp_path,
        ANSWER=ANSWER.replace(".sum()", ".sum() * 1"),
        VISIBLE=VISIBLE.replace(
            "out = total(x)", "out = total(x)\n    assert 'Mul' in str(out.grad_fn)"
        ),
    )
    refused = [
        c for c in mutation.mutants(tmp_path, homework.load(tmp_path, "mini")) if not c.holds
    ]
    assert {clause.rule for clause in refused} == {"8 visible and hidden agree"}
    assert all("the visible check of total refuses" in clause.detail for clause in refused)


def test_a_mutant_that_only_a_tie_shows_survives(tmp_path: Path) -> None:
    """No hidden number is zero, so `>` may be `>=` there; the reference tells that they differ."""
    count = "return (x > 0).sum() * 1.0"
    write(
        tmp_path,
        ANSWER=ANSWER.replace("return torch.relu(x).sum()", count),
        ADAPTERS=FORGIVING["ADAPTERS"],
        REFERENCE="import numpy as np\n\n\ndef total(x):\n    return {'the total': np.array((x > 0).sum())}\n",
    )
    found = [c for c in mutation.mutants(tmp_path, homework.load(tmp_path, "mini")) if not c.holds]
    assert any("x > 0 -> x >= 0" in clause.detail for clause in found)
