"""Visible checks from spec.py decide like the hidden check, or one line explains why not."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
import torch

from autograder.authoring import kit_cells, shown_checks
from autograder.authoring.contract.complaint_lines import Heard
from autograder.course.homework import HomeworkError
from autograder.kit import Check, Exact, Prints, Raises, Text
from autograder.kit.notebook.plain_data import as_plain, unlike
from autograder.records import data
from autograder.records.errors import UserError
from autograder.records.figures import drawn
from autograder.records.homework import Cell, Homework
from autograder.records.questions import RESULT, Question
from autograder.records.values import Refused
from autograder.sandbox.inside import evaluate

SPEC = """
import numpy as np

from autograder.kit import Ask, Asserted, Close, Draws, Exact, Homework, Picture, Prints, Property, Question, Raises, Table, Text


def total(numbers):
    return sum(numbers)


def first(name, letters):
    return name[:letters]


def beyond(got, name, letters):
    return total(got)


HOMEWORK = Homework(title="Shown", questions=(QUESTIONS,))
"""
TOTAL = 'Question("total", check=Close(total, 0.5), shown=[{"numbers": np.array([1.0, 2.0])}])'
FIRST = 'Question("first", check=Exact(first), shown=[{"name": "Ada", "letters": 2}])'


def questions(folder: Path, spec: str) -> tuple[Question, ...]:
    """Return the questions of a spec.py."""
    staff = folder / "source" / "shown" / "staff"
    staff.mkdir(parents=True)
    (staff / "spec.py").write_text(spec)
    return shown_checks.questions(folder, "shown", ())


def texts(folder: Path, question: str, spec: str = SPEC) -> dict[str, str]:
    """Return the checks generated from a spec.py with one question."""
    return shown_checks.texts(questions(folder, spec.replace("QUESTIONS", question)), "shown")


def notebook(
    source: str = "", *, given: str = "import numpy as np", id: str = "total"
) -> nbformat.NotebookNode:
    """Return a source notebook whose check cell has this source."""
    marks = {"grade": True, "solution": False, "grade_id": id, "points": 2}
    cells = [nbformat.v4.new_code_cell(given), nbformat.v4.new_code_cell(source)]
    cells[1].metadata["nbgrader"] = marks
    return nbformat.v4.new_notebook(cells=cells)


def said(text: str, capsys: pytest.CaptureFixture[str], **answers: Any) -> str:
    """Return a check's message on an answer."""
    space: dict[str, Any] = {"np": np, **answers}
    for tool in kit_cells.tools_of(notebook(text)).values():
        exec(tool.split("\n\n\n# fmt: off")[0], space)  # without the call of the list at the end
    exec(text, space)
    return capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("off", "complaint"),
    [
        (0.0, "passed"),
        (1.9, "passed"),  # within 0.5 + 0.5 * 3, as the hidden check has it
        (2.1, "for numbers = array([1., 2.]): it is off by up to 2.1"),
        (np.nan, "for numbers = array([1., 2.]): it contains NaN or infinity."),
        (np.zeros(2), "for numbers = array([1., 2.]): it should have shape (), yours has (2,)"),
    ],
)
def test_numbers_are_compared_as_the_hidden_check_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], off: Any, complaint: str
) -> None:
    """They use its tolerance, and compare shapes first."""
    (text,) = texts(tmp_path, TOTAL).values()
    answer = lambda numbers: numbers.sum() + off  # noqa: E731
    assert said(text, capsys, total=answer) == f"[total] {complaint}"


def test_other_values_are_compared_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Inputs are passed in order, whatever names the student uses."""
    (text,) = texts(tmp_path, FIRST).values()
    assert said(text, capsys, first=lambda a, b: a[:b]) == "[first] passed"
    wrong = "[first] for name = 'Ada', letters = 2 it should be 'Ad', yours is 'A'"
    assert said(text, capsys, first=lambda a, b: a[: b - 1]) == wrong


PARTS = """Question("total", Parts(
    Part("two numbers", Close(total, 0.0), 2, where=lambda numbers: len(numbers) == 2),
    Part("a whole number", Property(whole), 1),
    Part("none", Exact(total), 0.5, where=lambda numbers: len(numbers) == 0),
), shown=[{"numbers": [1, 2]}, {"numbers": [3]}])"""
WHOLE = """

def whole(got, numbers):
    return got == int(got) or "it is no whole number"
"""


def test_parts_are_told_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is right or wrong, with its points; parts without `shown` are left to hidden inputs."""
    spec = SPEC.replace("HOMEWORK", WHOLE + "HOMEWORK").replace("Picture,", "Part, Parts, Picture,")
    (text,) = texts(tmp_path, PARTS, spec).values()
    assert said(text, capsys, total=sum) == "[total] passed"
    assert said(text, capsys, total=lambda numbers: sum(numbers) + 0.5).split("\n") == [
        "[total] part by part:",
        "- two numbers (2 points): for numbers = [1, 2]: it is off by up to 0.5",
        "- a whole number (1 point): for numbers = [1, 2]: it is no whole number",
        "- none (0.5 points): hidden inputs decide",
    ]
    wrong = said(text, capsys, total=lambda numbers: sum(numbers) + 1).split("\n")
    assert wrong[2] == "- a whole number (1 point): right"
    first = said(text, capsys, total=lambda numbers: numbers[0] + numbers[1]).split("\n")
    assert first[1] == "- two numbers (2 points): right"
    assert "your code raised IndexError" in first[2]
    unwritten = _raises(NotImplementedError())
    assert said(text, capsys, total=unwritten) == "[total] not written yet"


def _raises(error: Exception) -> Callable[..., Any]:
    def call(*_: Any) -> Any:
        raise error

    return call


def _returns(value: Any) -> Callable[..., Any]:
    return lambda *_: value


def _prints(*texts: str) -> Callable[..., Any]:
    def call(*_: Any) -> None:
        for text in texts:
            print(text)

    return call


VALUES: tuple[Any, ...] = (
    None, True, np.True_, 1, np.int64(1), 1.0, np.float32(1), Fraction(1), Decimal(1), 2, "A", "a ",
    np.str_("A"), "", [1], (1,), [True], [1.0], np.array([1]), np.array([1.0, 2.0]), np.array(1),
    torch.tensor([1]), torch.tensor(1), range(1, 2), {1: 0}.keys(), {1}, frozenset({1}), {"A"}, set(),
    {"A": 1}, OrderedDict(A=1), Counter("A"), {"A": True}, {"A": 2}, {"B": 1}, [[1], "A"], [(1,), "A"],
    np.array(["A"]), ["A"],
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=map(repr, VALUES))
def test_a_value_is_read_as_the_hidden_check_reads_it(value: Any) -> None:
    """This covers every kind of number, text and container."""
    mine, theirs = as_plain(value), data.read(value)
    assert type(mine) is type(theirs)
    assert not unlike(mine, theirs)


EXACT: tuple[Any, ...] = (set(), 1, True, 1.0, "A", [1], (1,), {1}, {"A": 1}, None, [[1], "A"])
ANSWERS = {
    **{f"Exact {right!r}": (Exact, right, tuple(map(_returns, VALUES))) for right in EXACT},
    "Text": (Text, " Not  SO bad. ", tuple(map(_returns, ("not so bad.", "Not so bad", "", 3, None)))),
    "Prints": (
        Prints, "one\ntwo",
        (_prints("one", "two "), _prints("one\ntwo\n\n"), _prints("one"), _prints(), _returns("one\ntwo"),
         _prints("one\x0ctwo")),
    ),
    "Raises": (
        Raises, LookupError,
        (_raises(KeyError("x")), _raises(LookupError()), _raises(ValueError()), _returns(None),
         _raises(type("LookupError", (Exception,), {})())),
    ),
    "Raises what a missing answer raises": (
        Raises, NotImplementedError, (_raises(NotImplementedError("not for these")), _returns(None)),
    ),
    "Raises nothing": (
        Raises, [1], (_returns([1]), _returns(range(1, 2)), _returns((1,)), _raises(KeyError("x"))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_both_checks_decide_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """The visible check passes exactly what the hidden one passes."""
    kind, right, answers = ANSWERS[name]
    body = f"    raise {right.__name__}()" if isinstance(right, type) else f"    return {right!r}"
    function = f"def answered(n):\n{body}\n\n\nHOMEWORK"
    question = f'Question("answered", check={kind.__name__}(answered), shown=[{{"n": 1}}])'
    asked = questions(tmp_path, SPEC.replace("HOMEWORK", function).replace("QUESTIONS", question))
    (text,) = shown_checks.texts(asked, "shown").values()
    check = asked[0].check
    assert check is not None
    decided = set()
    for answer in answers:
        visible = said(text, capsys, answered=answer) == "[answered] passed"
        assert visible is (_hidden(check, answer) == 1), name
        decided.add(visible)
    assert decided == {True, False}


def _hidden(check: Check, answer: Callable[..., Any]) -> float:
    read: Any = {
        "data": lambda: data.read(answer(1)),
        "output": lambda: evaluate.printed(lambda: answer(1)),
        "error": lambda: evaluate.raised(lambda: {RESULT: data.read(answer(1))}),
    }[check.reads]
    return check({"n": 1}, {RESULT: read()}).fraction


FURTHER = """
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from autograder.kit import ANY, Draws, Picture, Property, Question, Table


def grew(got, n):
    'Say whether each is larger than the one before.'
    return {"its length": len(got) == n, "its order": bool(np.all(np.diff(got) > 0))}


def counted(words):
    return words.groupby("word", as_index=False)["n"].sum()


def line(n):
    return {"title": ANY, "lines": [np.stack([np.arange(n), np.arange(n)], axis=1)]}


WORDS = pd.DataFrame({"word": ["b", "a", "b"], "n": [1, 2, 3], "at": pd.to_datetime(["2024-01-01"] * 3), "x": [0.5, np.nan, 1]})
questions = [
    Question("grown", Property(grew), shown=[{"n": 3}]),
    Question("table", Table(counted), shown=[{"words": WORDS}]),
    Question("rows", Table(counted, rows="any order", columns="any order", kinds=False), shown=[{"words": WORDS}]),
    Question("figure", Picture(line), shown=[{"n": 3}]),
    Question("draws", Draws(mean=lambda n: 2.0, variance=1.0, size="n"), shown=[{"n": 2000}]),
]
"""


def _plots(n: int, *, title: str = "Any") -> None:
    plt.plot(range(n), range(n))
    plt.title(title)
    plt.show()


def _sums(words: Any, **how: Any) -> Any:
    return words.groupby("word", **{"as_index": False, **how})["n"].sum()


RNG = np.random.default_rng(0)
FURTHER_ANSWERS: Mapping[str, tuple[tuple[bool, Callable[..., Any]], ...]] = {
    "grown": (
        (True, lambda n: list(range(n))),
        (True, lambda n: np.arange(n)),
        (False, lambda n: range(n, 0, -1)),
        (False, lambda n: [0.0, np.nan, 2.0]),
        (False, lambda n: None),
    ),
    "table": (
        (True, _sums),
        (True, lambda words: _sums(words).astype({"n": "int32"})),
        (False, lambda words: _sums(words, as_index=True)),
        (False, lambda words: _sums(words).iloc[::-1]),
        (True, lambda words: _sums(words).astype({"n": float})),
        (False, lambda words: _sums(words).assign(n=1)),
        (False, lambda words: 3),
    ),
    "rows": (
        (True, lambda words: _sums(words)[["n", "word"]].iloc[::-1]),
        (True, lambda words: _sums(words).astype({"n": float})),
        (False, lambda words: _sums(words).head(1)),
    ),
    "figure": (
        (True, _plots),
        (False, lambda n: _plots(n + 1)),
        (False, lambda n: _plots(n, title="")),
        (False, lambda n: None),
    ),
    "draws": (
        (True, lambda n: RNG.normal(2, 1, n)),
        (False, lambda n: RNG.normal(2.5, 1, n)),
        (False, lambda n: RNG.normal(2, 2, n)),
        (False, lambda n: np.full(n, 2.0)),
        (False, lambda n: np.repeat(RNG.normal(2, 1, n // 2), 2)),
        (False, lambda n: RNG.normal(2, 1, n - 1)),
    ),
}


@pytest.mark.parametrize("name", FURTHER_ANSWERS)
def test_properties_tables_figures_and_draws_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Both checks agree on each of them."""
    asked = questions(tmp_path, FURTHER)
    (question,) = (one for one in asked if one.id == name)
    text = shown_checks.texts(asked, "shown")[name]
    check, inputs = question.check, question.shown[0]
    assert check is not None
    for right, answer in FURTHER_ANSWERS[name]:
        read: Any = {
            "data": lambda of=answer: data.read(of(**inputs)),
            "numbers": lambda of=answer: np.asarray(of(**inputs)),
            "picture": lambda of=answer: drawn(lambda: of(**inputs)),
        }[check.reads]
        try:
            hidden = check(inputs, {RESULT: read()}).fraction == 1
        except Refused:
            hidden = False
        printed = said(text, capsys, pd=pd, **{name: answer})
        assert (hidden, printed == f"[{name}] passed") == (right, right), printed


COUNTER = """
from autograder.kit import Question, Steps


class Counter:
    def __init__(self, start):
        self.start = self.count = start

    def add(self, number):
        self.count = self.count + number

    def reset(self):
        self.count = self.start


CALLS = [("add", 2), "count", "reset", "count"]
questions = [Question("Counter", Steps(Counter), shown=[{"new": [3], "calls": CALLS}, {"new": [4], "calls": CALLS}])]
"""
SHARED = (
    "class Counter(Right):\n    count = property(lambda s: box[-1], lambda s, new: box.append(new))"
)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("class Counter(Right):\n    pass", "passed"),
        (
            "class Counter(Right):\n    def add(self, more):\n        self.count = self.count - more",
            "for Counter(3): after `add(2)`, `count` should be 5, and is 1.",
        ),
        (
            "class Counter(Right):\n    def reset(self):\n        self.count = 1 / 0",
            "for Counter(3): after `add(2)`, `reset()` raises ZeroDivisionError: division by zero.",
        ),
        (
            SHARED,
            "for Counter(3): right for one object alone, and not for two that are used in turn: keep in "
            "`self` what each of them keeps, and make it in `__init__`; after `add(2)`, `count` should be 5, and is 8.",
        ),
        ("class Counter:\n    pass", "your code raised TypeError: Counter() takes no arguments"),
        (
            "class Counter:\n    def __init__(self, n):\n        raise NotImplementedError",
            "not written yet",
        ),
    ],
)
def test_the_calls_on_an_object_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: str, complaint: str
) -> None:
    """No adapter is written; the message names a wrong call, and state shared by two objects."""
    (text,) = texts(tmp_path, "", COUNTER).values()
    right = COUNTER.split("\n\n\n")[1].replace("Counter", "Right")
    space: dict[str, Any] = {"box": [0]}
    exec(f"{right}\n\n{answer}", space)
    assert said(text, capsys, Counter=space["Counter"]).startswith(f"[Counter] {complaint}")
    assert "given =" not in text


def test_a_check_that_takes_no_shown_is_not_told_to_have_it(tmp_path: Path) -> None:
    """The only way is then a check of the author's own."""
    for question, hint in (
        ('Question("hw_total", Ask("a"), Close(total, 1e-6))', ""),
        ('Question("hw_total", check=Asserted())', ""),
        (
            'Question("hw_total", check=Close(total, 1e-6))',
            "give the question `shown` in spec.py, .* or ",
        ),
    ):
        checks = texts(tmp_path / str(len(question)), question)
        said = f"the check of 'hw_total' is empty; {hint}write a check"
        with pytest.raises(HomeworkError, match=said):
            shown_checks.fill(notebook(id="hw_total"), checks, "hw.py")


def test_a_function_of_another_name_is_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`Ask` names it; it must also leave its inputs alone."""
    question = TOTAL.replace('"total", ', '"total", Ask(objects=("add",)), ')
    (text,) = texts(tmp_path, question).values()
    assert said(text, capsys, add=lambda numbers: numbers.sum()) == "[total] passed"

    def changes(numbers: Any) -> Any:
        numbers += 1
        return numbers.sum() - 2

    assert "changes" in said(text, capsys, add=changes)


def test_the_cell_is_written_once(tmp_path: Path) -> None:
    """An empty cell is filled, an outdated one is replaced, and any other stays."""
    checks = texts(tmp_path, TOTAL)
    source = notebook()
    assert shown_checks.fill(source, checks, "hw.py")
    assert source.cells[1].source == checks["total"]
    assert not shown_checks.fill(source, checks, "hw.py")
    source.cells[1].source = "# Given: the check of this question, on inputs that you see.\nolder"
    assert shown_checks.fill(source, checks, "hw.py")
    assert not shown_checks.fill(notebook("check()"), {}, "hw.py")


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (notebook("check('total', mine)"), "has lines of its own, but spec.py has `shown` for it"),
        (notebook(given="x = 1"), "import numpy as np in a cell above it"),
        (notebook(id="other"), "is empty; give the question `shown` in spec.py"),
    ],
)
def test_a_notebook_that_does_not_fit_is_one_line(
    tmp_path: Path, source: nbformat.NotebookNode, complaint: str
) -> None:
    """It names the question and both remedies."""
    with pytest.raises(HomeworkError, match=complaint) as error:
        shown_checks.fill(source, texts(tmp_path, TOTAL), "hw.py")
    assert str(error.value).startswith("hw.py: the check of ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (
            {"Exact(first)": "Asserted()"},
            "`shown` needs one of Close, Draws, Exact, Picture, Prints, Property, Raises, Steps, Table, Text",
        ),
        (
            {"Exact(first)": "Property(lambda got, **inputs: True)"},
            "write it as a function with `def`",
        ),
        (
            {"Exact(first)": "Property(beyond)"},
            "puts the property beyond into the notebook, which has no `total`",
        ),
        ({'"first", ': '"first", Ask("adapter"), '}, "has an adapter"),
        ({'"first", ': '"first", Ask(objects=("right",)), '}, "have their own 'right'"),
        ({'"Ada"': "3"}, "the reference raised TypeError for what is in `shown`"),
        ({"[{": "{", "}]": "}"}, "write a list of inputs by name"),
        (
            {'"name": "Ada", "letters": 2': '"letters": 2, "name": "Ada"'},
            "the inputs letters, name are given to an answer in this order, but the reference takes name",
        ),
        ({'"Ada"': "object()"}, "`shown` has object, which has no Python literal"),
    ],
)
def test_a_question_that_cannot_be_shown_is_one_line(
    tmp_path: Path, changed: Mapping[str, str], complaint: str
) -> None:
    """It has the file, the question and the alternatives."""
    question = FIRST
    for before, after in changed.items():
        assert before in question
        question = question.replace(before, after)
    with pytest.raises(UserError, match=complaint) as error:
        texts(tmp_path, question)
    assert str(error.value).startswith("source/shown/staff/spec.py: question 'first'")


def test_a_question_s_id_may_have_any_signs(tmp_path: Path) -> None:
    """The ids that nbgrader makes have hyphens, which no name in Python has."""
    question = FIRST.replace('"first", check', '"1-st", objects=("first",), check')
    (text,) = texts(tmp_path, question).values()
    said: list[Any] = []
    space = {"first": lambda name, letters: name[:letters], "np": np}
    space |= {"as_plain": as_plain, "unlike": unlike}
    exec(text, space | {"check": lambda id, complaint, _: said.append((id, complaint()))})
    assert said == [("1-st", None)]


def test_no_known_answer_has_to_trigger_what_follows_from_spec(tmp_path: Path) -> None:
    """The kit's own tests cover each of its sentences, so authors need not."""
    (text,) = texts(tmp_path, FIRST).values()
    own = text.replace("on inputs that you see", "on my own", 1)
    lines = []
    for source in (text, own):
        cells = (Cell("first", "code", source, "first", "check", 2.0),)
        lines.append(len(Heard(Homework("Shown", cells=cells)).lines))
    assert lines[0] == 0 < lines[1]
