"""Every check on every possible value: none raises, right values pass, unequal ones fail.

This covers both places where checks run: as marking calls them, and as text in a notebook.
"""

import contextlib
import inspect
import io
import itertools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import kit
from autograder.authoring import shown_checks
from autograder.kit import (
    ANY,
    Accurate,
    Asserted,
    Check,
    Close,
    Derivation,
    Draws,
    Exact,
    Inputs,
    LinearInLength,
    NoLoop,
    Part,
    Parts,
    Picture,
    Prints,
    Property,
    Raises,
    SameGrowth,
    Steps,
    Table,
    Text,
    Unbiased,
    Value,
    Verdict,
    Within,
    growing_points,
)  # fmt: skip
from autograder.kit.notebook.plain_data import unlike
from autograder.kit.notebook.steps import run_steps
from autograder.marking.check_limits import call, within
from autograder.records import codec, data, digests
from autograder.records.facts import Outcome, SubmissionLog
from autograder.records.questions import RESULT, STEPS
from autograder.records.tables import Frame
from autograder.sandbox.inside import evaluate
from tests.helpers import ANYONE, FUZZ, count
from tests.plain_data import ANYTHING, KEYED, TABLES, across, nearly, same

FEW = settings(FUZZ, max_examples=count(full=1_000, slice=30))
MORE = settings(FUZZ, max_examples=count(full=10_000, slice=150))
X = np.arange(1.0, 4.0)
POINTS: Any = growing_points(np.random.default_rng(0), ("N", "M"), {})
LINE = {"time": (lambda N, M: N * M,)}
FRAME = pd.DataFrame({"name": ["a", "b"], "mean": [0.5, 1.5], "n": [1, 10**7]})
NOTHING_RAISED = {"kinds": [], "message": "", "returned": [1, {"a": 2.0}]}
FIGURE = {
    "title": ANY, "x_label": "step", "y_scale": "log", "x_limits": (0.0, 1.0), "legend": ["train"],
    "lines": [np.ones((3, 2))], "images": [np.ones((2, 2))], "bars": [1.0, 2.0],
}  # fmt: skip


class Plain(Check):
    """An author's check, with defaults from the kit."""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        return Verdict(1.0, "Right.")


def raising(number: int) -> int:
    if number == 1:
        raise ValueError("no")
    return number


def words(inputs: Inputs, value: Value) -> tuple[str, ...]:
    return (value.get("beside", "").upper(), f"{value['out'].max():g}")


def lines(*more: tuple[str, Any]) -> dict[str, Any]:
    """Return the value of a derivation whose second line is a waypoint."""
    found = {
        "lines": np.array(3),
        "line 1": X,
        "line 2, waypoint": "w",
        "line 2": 2 * X,
        "line 3": X,
    }
    return {**found, "last": X, **dict(more)}


EQUATION = tuple((f"line 1, {side}{there}", X + (there != "" and side == "left")) for side in ("left", "right") for there in ("", " anywhere"))  # fmt: skip


class Tally:
    """A class with a state."""

    def __init__(self, total: float) -> None:
        self.total = total

    def add(self, number: float) -> float:
        self.total += number
        return self.total


SCRIPT: Inputs = {"new": (1.0,), "calls": [("add", 2.0), "total"]}
CASES: tuple[tuple[Check, Inputs, Value], ...] = (
    (Steps(Tally), SCRIPT, run_steps(Tally, **SCRIPT)),
    (Plain(), {}, {"out": X, "text": "a"}),
    (Accurate({"a": (3, "d")}, lambda value: value["a"][:, 0] > 0, at_least=1, examples="numbers"), {}, {"a": np.ones((3, 2))}),
    (Asserted(4.0), {}, {RESULT: {"score": None}}),
    (Asserted(4.0), {}, {RESULT: {"score": 4.0, "hidden": False, "message": "", "code": ""}}),
    (Close(lambda x: {"out": 2 * x}, 1e-6, words=words, beside=("beside",)), {"x": X}, {"out": 2 * X, "beside": "text"}),
    (Close(lambda n: n, 1e-6), {"n": 3}, {RESULT: np.array(3)}),
    (Derivation({"w": lambda x: 2 * x}, lambda x: x, "f", lambda x: x), {"x": X}, lines()),
    (Derivation({"w": lambda x: 2 * x}, None, "f", lambda x: x), {"x": X}, lines(*EQUATION)),
    (Draws(0.0, lambda n: 1.0, "n"), {"n": 4}, {RESULT: np.array([-1.0, 1.0, -0.5, 0.5])}),
    (Draws(np.zeros(2), 1.0, 2), {}, {RESULT: np.ones((2, 2))}),
    (Exact(lambda: [1, {"a": {(1, 2.5), True}}, X, None]), {}, {RESULT: [1, {"a": frozenset({(1, 2.5), True})}, X, None]}),
    (Exact(lambda: {True: [1.0], 2: "a"}, tolerance=1e-6), {}, {RESULT: {True: [1.0], 2: "a"}}),
    (Exact(lambda: FRAME), {}, {RESULT: data.read(FRAME)}),
    (LinearInLength(4.0, 2.0, lambda inputs: X, 1e-6), {"short": 10, "long": 20, "C": 2, "M": 3},
     {"operations": np.array([10, 20]), "largest": np.array([10, 20]), "shape": np.array([2]), "expected_shape": np.array([2]), "rows": X}),
    (NoLoop(lambda x: 2 * x, 1e-6), {"x": X}, {RESULT: 2 * X, STEPS: np.array([3])}),
    (Picture(lambda: [FIGURE]), {}, {RESULT: [FIGURE | {"title": "Loss"}]}),
    (Picture(lambda: {"legend": ANY, "points": [X]}), {}, {RESULT: [{"legend": ["a"], "points": [X]}]}),
    (Prints(lambda: "1\n2"), {}, {RESULT: "1 \n2\n"}),
    (Property(lambda got, n: 1 / got == n), {"n": 2}, {RESULT: 0.5}),
    (Property(lambda got, n: 2.0**got == n), {"n": 4}, {RESULT: 2}),
    (Property(lambda got, n: got == n), {"n": 2}, {RESULT: 2}),
    (Property(lambda got: sorted(got) == [1, 2] and got[0] in got), {}, {RESULT: [2, 1]}),
    (Property(lambda got: bool(got["n"].sum() > 0)), {}, {RESULT: data.read(FRAME)}),
    (Part("a", Close(lambda: 2.0), 1), {}, {RESULT: np.array(2.0)}),
    (Parts(Part("a", Close(lambda: 2.0), 1), Part("b", Exact(lambda: 2.0), 2)), {}, {RESULT: 2.0}),
    (Parts(Part("a", Close(lambda: 2.0), 1), Part("b", Raises(lambda: 2.0), 2)), {}, {RESULT: {**NOTHING_RAISED, "returned": 2.0}}),
    (Raises(raising), {"number": 1}, {RESULT: {"kinds": ["ValueError"], "message": "", "returned": None}}),
    (Raises(lambda: [1, {"a": 2.0}]), {}, {RESULT: NOTHING_RAISED}),
    (SameGrowth(LINE, ("N", "M")), POINTS, {"time": POINTS["N"] * POINTS["M"]}),
    (Table(lambda: FRAME), {}, {RESULT: data.read(FRAME)}),
    (Table(lambda: FRAME[::-1], rows="any order", columns="any order", index=True, kinds=False), {}, {RESULT: data.read(FRAME)}),
    (Text(lambda: "Abc"), {}, {RESULT: "abc"}),
    (Unbiased("draws", lambda inputs: (4, 2), lambda draws, inputs: draws, lambda inputs: (np.ones(2), np.ones(2)), "Large.", "Small."),
     {}, {"draws": np.ones((4, 2))}),
    (Within({"a": (2,)}, lambda value: value["a"].sum(), "the loss", high=3), {}, {"a": np.ones(2)}),
)  # fmt: skip
NAMES = [f"{type(check).__name__} {number}" for number, (check, *_) in enumerate(CASES)]
each_check = pytest.mark.parametrize(("check", "inputs", "right"), CASES, ids=NAMES)


def judged(check: Check, inputs: Inputs, value: Value, right: Value) -> Verdict:
    """Do everything that marking does with a value; raise CheckFailed if the check raises."""
    verdict = call(check, inputs, value)
    within(check.overview, [(inputs, value, verdict.fraction == 1), (inputs, right, True)])
    within(check.fault, inputs, value)
    within(check.graded, value)
    for one, other in ((value, right), (right, value), (value, value)):
        assert 0 <= within(check.likeness, inputs, one, other) <= 1
    return verdict


def test_every_check_is_tried() -> None:
    """This test reports a class of the kit that is missing from the list above."""
    classes = [item for name in kit.__all__ if inspect.isclass(item := getattr(kit, name))]
    found = {item for item in classes if issubclass(item, Check)}
    assert found - {Check} == {type(check) for check, *_ in CASES} - {Plain}


@each_check
def test_a_right_value_passes(check: Check, inputs: Inputs, right: Value) -> None:
    """It also passes after crossing the trust line, and resembles itself."""
    assert judged(check, inputs, across(right), right).fraction == 1
    alike = check.likeness(inputs, across(right), right)
    assert alike == 1 or isinstance(check, Derivation)  # which compares what is wrong


@pytest.mark.fuzzed
@each_check
@given(st.data())
@FEW
def test_no_value_makes_a_check_raise(
    check: Check, inputs: Inputs, right: Value, data: st.DataObject
) -> None:
    """The value may be anything, as a whole or in any part of a right one."""
    names = (*right, RESULT)
    value = data.draw(nearly(right, names) | st.dictionaries(st.sampled_from(names), ANYTHING))
    judged(check, inputs, value, right)


FREE: dict[type[Check], tuple[str, ...]] = {
    Steps: ("of",),
    Asserted: ("score", "hidden", "message", "code"),  # its own tests try every score
    Close: ("beside",),
    Derivation: ("lines", "last", "line 1", "line 3"),
    Picture: ("title", "legend"),
    Plain: ("out", "text"),
    Property: ("table",),
    Raises: ("message",),
    Parts: ("message",),
}
"""Parts that earn and cost nothing, and a table of which a property sees one column."""


def spoiled(item: Any, free: tuple[str, ...]) -> Iterator[Any]:
    """Yield a value of a wrong kind, and the value with each part spoiled."""
    for wrong in (None, math.nan, math.inf, "", "text", [], np.zeros((0, 3)), np.array(math.nan)):
        if repr(wrong) != repr(item):
            yield wrong
    if isinstance(item, np.ndarray):
        numbers = item.astype(float)
        for wrong in (math.nan, math.inf):
            one = numbers.copy()
            one[(0,) * item.ndim] = wrong
            yield from (one, np.full_like(numbers, wrong))
        yield from (item[None], item[..., None], item[:0] if item.ndim else item[None][:0])
    elif isinstance(item, dict):
        for key in [key for key in item if not str(key).startswith(free or ("\0",))]:
            yield from ({**item, key: part} for part in spoiled(item[key], free))
    elif isinstance(item, list | tuple):
        for place in range(len(item)):
            for part in spoiled(item[place], free):
                yield type(item)([*item[:place], part, *item[place + 1 :]])
    elif isinstance(item, Frame) and "table" not in free:
        for place, column in enumerate(item.values):
            for wrong in (None, math.nan, math.inf, "", True):
                values = [*item.values]
                values[place] = (wrong, *column[1:])
                yield replace(item, values=tuple(values))


@each_check
def test_a_spoiled_value_loses(check: Check, inputs: Inputs, right: Value) -> None:
    """This covers NaN, infinity, nothing, empty values and wrong kinds, in any place."""
    free = FREE.get(type(check), ())
    for value in spoiled(dict(right), free):
        if isinstance(value, dict):
            assert call(check, inputs, value).fraction < 1, value


@pytest.mark.fuzzed
@given(st.dictionaries(st.text(st.characters(exclude_categories=()), max_size=2), ANYTHING))
@FEW
def test_whatever_comes_back_is_written_and_read(value: Value) -> None:
    """It fits a log and a digest: a file cannot contain unpaired surrogates."""
    found = Outcome("q", 0, "returned", across(value))
    log = SubmissionLog("hw", ANYONE, outcomes=(found,))
    (again,) = codec.decode_log(codec.encode_log(log)).outcomes
    assert same(again.value, found.value)
    assert digests.digest(again) == digests.digest(found)


@pytest.mark.fuzzed
@given(st.data(), ANYTHING | KEYED)
@MORE
def test_what_is_the_same_passes_and_nothing_else(data: st.DataObject, right: Any) -> None:
    """Numbers are equal by size, but booleans and kinds stay distinct, in every place."""
    changed = data.draw(nearly({"it": right}, ("it",)))
    got = data.draw(ANYTHING | st.just(changed.get("it")) | st.just(across({"it": right})["it"]))
    assert (unlike(got, right) == "") is same(got, right)
    assert unlike(got, right, tolerance=1e-9) == "" or not same(got, right)


@pytest.mark.fuzzed
@given(
    st.data(), st.lists(ANYTHING | st.sampled_from([np.arange(2000.0), "a b", "AB"]), max_size=4)
)
@FEW
def test_what_is_said_of_data_is_true(data: st.DataObject, right: list[Any]) -> None:
    """For lists it gives their length and order, and what is right up to spaces."""
    changed = data.draw(nearly({"it": right}, ("it",))).get("it")
    mixed = data.draw(st.permutations(right))
    spaced = [item.upper() + " " if isinstance(item, str) else item for item in right]
    longer = [item + (item == 999) if isinstance(item, np.ndarray) else item for item in right]
    for got in (changed, mixed, spaced, longer, right[1:]):
        said = unlike(got, right, place="it")
        if "a different order" in said:
            orders = itertools.permutations(right)
            assert any(all(map(same, got, order)) for order in orders), (got, right)
            assert not same(got, right)
        if numbers := re.fullmatch(r"it has (\d+) items?, and should have (\d+)\.", said):
            assert [int(n) for n in numbers.groups()] == [len(got), len(right)]
        if place := re.fullmatch(r"it\[(\d)\] is right but for spaces or capital letters\.", said):
            one, other = ("".join(part[int(place[1])].split()).lower() for part in (got, right))
            assert one == other


@pytest.mark.fuzzed
@given(st.data(), TABLES)
@FEW
def test_tables_of_any_names_and_cells(data: st.DataObject, right: Any) -> None:
    """Names may repeat; tables with reordered rows are equal if order does not count."""
    changed = data.draw(nearly({"it": right}, ("it",)).filter(lambda value: "it" in value))["it"]
    parts = ("columns", "kinds", "values") if right.index else ("columns",)
    alike = type(changed) is type(right) and len(changed.index) == len(right.index)
    alike = alike and all(same(getattr(changed, one), getattr(right, one)) for one in parts)
    check = Table(lambda: None, tolerance=0.0)
    assert (check.complaint(changed, right) == "") is alike
    assert not check.complaint(across({"it": right})["it"], right)


NUMBERS = st.sampled_from(
    [
        None,
        True,
        0,
        1,
        1.0,
        "1",
        10**7 + 1,
        10**7 + 2,
        10.0**7 + 1,
        10**999,
        1e-7,
        0.1234561,
        0.1234562,
    ]
)


@pytest.mark.fuzzed
@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=4), st.randoms())
@FEW
def test_rows_in_any_order(rows: list[tuple[Any, Any]], random: Any) -> None:
    """They are equal however close their numbers are."""

    def table(some: list[tuple[Any, Any]]) -> data.Frame:
        columns = tuple(zip(*some, strict=True)) or ((), ())
        return data.Frame(("a", "b"), ("objects",) * 2, columns, tuple(range(len(some))))

    mixed = random.sample(rows, len(rows))
    assert not Table(lambda: None, rows="any order").complaint(table(mixed), table(rows))


SPEC = """
from autograder.kit import Close, Exact, Homework, Prints, Question, Raises, Text

class TooMuch(Exception):
    pass

class TimeoutError(Exception):
    pass

def a(n): return [1, {"a": (1, 2.5), 2: None}, "Abc"]
def b(n): return {True: 5, "b": (float(n), False)}
def c(n): return 10**400
def d(n): raise ValueError("no")
def e(n): raise TooMuch("no")
def f(n): raise TimeoutError("no")
def g(n): return [n, True]
def h(n): return "1\\n 2"
def i(n): return " Abc\u0301 d"
def j(n): return [1.0, 2.0]
def k(n): return {(n, 2.5), True, "x"}
ONE = [{"n": 1}]
HOMEWORK = Homework("Shown", [
    Question("a", check=Exact(a), shown=ONE), Question("b", check=Exact(b, tolerance=1e-6), shown=ONE),
    Question("c", check=Exact(c, tolerance=1e-6), shown=ONE), Question("d", check=Raises(d), shown=ONE),
    Question("e", check=Raises(e), shown=ONE), Question("f", check=Raises(f), shown=ONE),
    Question("g", check=Raises(g), shown=ONE), Question("h", check=Prints(h), shown=ONE),
    Question("i", check=Text(i), shown=ONE), Question("j", check=Close(j, 1e-6), shown=ONE),
    Question("k", check=Exact(k), shown=ONE),
])
"""


class TooMuch(Exception):
    """The notebook's own class, with the name of an author's error."""


OWN = [type(name, (Exception,), {}) for name in ("ValueError", "TimeoutError")]
ERRORS = [
    ValueError,
    UnicodeError,
    KeyError,
    TimeoutError,
    Exception,
    TooMuch,
    type("More", (TooMuch,), {}),
    *OWN,
]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Check], Callable[..., bool]]:
    """Return each question's hidden check, and a function for the visible one's verdict."""
    folder = tmp_path_factory.mktemp("course")
    staff = folder / "source" / "shown" / "staff"
    staff.mkdir(parents=True)
    (staff / "spec.py").write_text(SPEC)
    space: dict[str, Any] = {}
    exec(SPEC, space)
    for file in ("records/values.py", "kit/notebook/check.py", "kit/notebook/plain_data.py"):
        exec((Path(data.__file__).parents[1] / file).read_text(), space)
    texts = shown_checks.texts(shown_checks.questions(folder, "shown", ()), "shown")

    def passes(question: str, answer: Callable[..., Any]) -> bool:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(texts[question], space | {"np": np, question: answer})
        return out.getvalue().endswith(f"[{question}] passed\n")

    return {one.id: one.check for one in space["HOMEWORK"].questions}, passes


def earns(question: str, check: Check, answer: Callable[..., Any]) -> bool:
    """Return whether an answer passes the hidden check, read as in the sandbox."""
    asked = {
        "question": question,
        "number": 0,
        "adapter": "",
        "objects": [question],
        "hide": [],
        "watch": [],
    }
    request = {**asked, "inputs": data.encode_inputs({"n": 1}), "reads": check.reads}
    reply = evaluate.answer(
        request, adapters={}, notebook={question: answer}, seed=0, cell_names={}
    )
    value = data.decode_value(reply["value"]) if reply["status"] == "returned" else {}
    return call(check, {"n": 1}, value).fraction == 1


@st.composite
def answers(draw: st.DrawFn, right: Any) -> Callable[[int], Any]:
    """Draw an answer that returns, prints or raises."""
    returned = draw(
        st.just(right) | nearly({"it": right}, ("it",)).map(lambda value: value.get("it"))
    )
    printed = draw(
        st.sampled_from(["1\n 2", "1 \r\n 2\n\n", "1\x0c 2", "1\n 2\x1c", "1\n\u2028 2", ""])
    )
    error = draw(st.none() | st.sampled_from(ERRORS))

    def answer(n: int) -> Any:
        print(printed)
        if error:
            raise error("no")
        return returned

    return answer


@pytest.mark.fuzzed
@pytest.mark.parametrize("question", "abcdefghijk")
@given(st.data())
@FEW
def test_both_places_decide_alike(
    question: str, shown: tuple[dict[str, Check], Callable[..., bool]], data: st.DataObject
) -> None:
    """The visible check passes exactly what the hidden one passes."""
    checks, passes = shown
    right = checks[question].expected({"n": 1})
    if question in "defg":
        right = right["returned"]
    answer = data.draw(answers(right if question != "j" else [1.0, 2.0]))
    assert passes(question, answer) is earns(question, checks[question], answer)
