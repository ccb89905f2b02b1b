"""Messages on wrong answers from checks of text, tables and data, without a known mistake."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from autograder.course import inputs as drawing
from autograder.kit import Check, Close, Exact, Inputs, Property, Raises, Table, Text, Unbiased
from autograder.marking.judge import judge
from autograder.records import data
from autograder.records.facts import Outcome, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.questions import RESULT, Ask, Question
from autograder.sandbox.inside import evaluate
from tests.helpers import ANYONE
from tests.plain_data import across


@pytest.mark.parametrize(
    ("got", "right", "said"),
    [
        ("The cat sat", "the cat sat", "word 1, 'The', differs in its capital letters"),
        ("the cat, sat", "the cat sat", "word 2, 'cat,', differs in its punctuation"),
        ("the dog sat", "the cat sat", "word 2, 'dog', is the first that is not right"),
        ("the sat", "the cat sat", "a word is missing before word 2, 'sat'"),
        ("the big cat sat", "the cat sat", "word 2, 'big', does not belong there"),
        ("the cat", "the cat sat", "it ends after word 2, too soon"),
        ("the cat sat down", "the cat sat", "it should end before word 4, 'down'"),
        ("the  cat sat", "the cat sat", "the spaces in line 1 are not right"),
        ("a\nb c ", "a\nb c", "the spaces in line 2 are not right"),
        ("a b", "a\nb", "it has 1 line, and should have 2"),
        ("\u05d0\u05d1 \u05d2", "\u05d0\u05d1 \u05d3", "word 2, '\u05d2', is the first"),
        (
            "\u00c9t\u00e9",
            "\u00e9t\u00e9",
            "word 1, '\u00c9t\u00e9', differs in its capital letters",
        ),
    ],
)
def test_the_first_place_and_kind_of_a_difference(got: str, right: str, said: str) -> None:
    """It quotes the student's own word, and no expected ones."""
    for check in (Text(lambda: right, ignoring=()), Exact(lambda: right)):
        message = check({}, {RESULT: got}).message
        assert said in message
        shown = re.findall(r"\w+", message.replace(repr(got.split()[-1]), ""))
        assert not (set(right.split()) - set(re.findall(r"\w+", got))) & set(shown)


@pytest.mark.parametrize(
    ("got", "right", "said"),
    [
        ("ab e\u0301", "ab \u00e9", "is right but for its Unicode form: word 2, 'e\u0301', differs in its Unicode form"),
        ("Ab e\u0301", "ab \u00e9", "is right but for spaces, capital letters, Unicode form or punctuation: word 1, 'Ab', differs in its capital"),
        ("\u212b", "\u00c5", "word 1, '\u212b', differs in its Unicode form"),
        ("x\u00b2", "x2", "word 1, 'x\u00b2', differs in its Unicode form"),
        ("\uff21", "A", "word 1, '\uff21', differs in its Unicode form"),
        ("\u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c3", "is not right: word 1, '\u03bf\u03b4\u03bf\u03c2', is the first that is not right"),
        ("Ma\u00dfe", "Masse", "is not right: word 1, 'Ma\u00dfe', is the first that is not right"),
        ("\u039f\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c2", "letters or punctuation: word 1, '\u039f\u03b4\u03bf\u03c2', differs in its capital letters"),
    ],
)  # fmt: skip
def test_forms_and_letters_are_told_apart(got: str, right: str, said: str) -> None:
    """With (), every character counts; by default, neither form nor capitals do."""
    assert said in Text(lambda: right, ignoring=())({}, {RESULT: got}).message
    assert "form" not in Text(lambda: right)({}, {RESULT: got}).message
    assert Text(lambda: right)({}, {RESULT: got}).fraction == 1


def test_what_is_ignored_is_no_difference() -> None:
    """Words without any relevant characters do not count."""
    check = Text(lambda: "the cat - sat", ignoring=("spaces", "punctuation"))
    assert check({}, {RESULT: "the. cat sat"}).fraction == 1
    assert "word 2, 'Cat'," in check({}, {RESULT: "the Cat\nsat"}).message


SALES = pd.DataFrame({"group": ["a", "b", "a"], "value": [1.0, 2.0, 4.0]})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda t: t.groupby("group").mean(), "'group' is the index of the table, and should be a column: is a `reset_index()` missing?"),
        (lambda t: t.groupby("group")["value"].mean(), "'group' is the index of the table"),
        (lambda t: t.groupby(["group", "value"]).size(), "'group', 'value' are the index of the table, and should be columns"),
        (lambda t: t.groupby("group").mean().reset_index(drop=True), "lacks 1 of the 2"),
        (lambda t: t.groupby("group").mean().rename_axis("other"), "lacks 1 of the 2"),
    ],
)  # fmt: skip
def test_an_index_that_should_be_a_column(answer: Callable[[Any], Any], said: str) -> None:
    """The message names the student's own index."""
    check = Table(lambda table: table.groupby("group", as_index=False)["value"].mean())
    value = across({RESULT: data.read(answer(SALES))})
    assert said in check({"table": SALES}, value).message


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda draws: draws, ""),
        (lambda draws: draws + np.array([0, 1]), "Large. Quantity 2 of 2 is off by"),
        (lambda draws: 0 * draws - 1, "Small. Quantity .* All draws give the same."),
        (lambda draws: 3 * draws + 1, "Large. Quantity .* The draws also spread too much."),
        (lambda draws: draws / 3 + 1, "Large. .* The draws also spread too little."),
    ],
)
def test_a_sampler_is_told_which_quantity_and_whether_it_spreads(
    made: Callable[[Any], Any], said: str
) -> None:
    """This comes beside the author's own sentence."""
    check = Unbiased("draws", lambda inputs: (400, 2), lambda draws, inputs: draws, lambda inputs: (np.zeros(2), np.ones(2)), "Large.", "Small.")  # fmt: skip
    draws = np.random.default_rng(0).normal(size=(400, 2))
    verdict = check({}, {"draws": made(draws)})
    assert (verdict.fraction == 1) is (not said)
    assert re.search(said, verdict.message)


def test_a_property_of_several_names_those_that_fail() -> None:
    """One example is a sampler, or an object with a state."""

    def holds(got: Any, numbers: list[int]) -> dict[str, bool]:
        return {"the order": got == sorted(got), "the numbers": sorted(got) == sorted(numbers)}

    check = Property(holds)
    for number in (1.0, -1.0):  # NumPy's own truth values are as good as Python's
        got = {RESULT: np.array([number])}
        assert Property(lambda got: (got > 0).all())({}, got).fraction == (number > 0)
    case = {"numbers": [2, 1]}
    assert check(case, {RESULT: [1, 2]}).fraction == 1
    assert check(case, {RESULT: [2, 1]}).message.endswith("the result fails in: the order.")
    assert "fails in: the order, the numbers." in check(case, {RESULT: [3, 1]}).message


def _mean(table: Any) -> Any:
    return table.groupby("group", as_index=False)["value"].mean()


def _words(text: str) -> dict[str, int]:
    return {word: text.lower().split().count(word) for word in text.lower().split()}


def _title(text: str) -> str:
    return " ".join(word.capitalize() for word in text.split())


def _first(numbers: list[int]) -> int:
    if not numbers:
        raise ValueError("nothing")
    return numbers[0]


NUMBERS = [
    {"numbers": np.array(item)} for item in ([3.0, 1.0, 2.0], [5.0, 7.0, 1.0, 2.0], [4.0, 9.0, 2.0])
]
TEXTS = [{"text": text} for text in ("one Two one", "Three three", "a B c d")]
LISTS: list[Inputs] = [{"numbers": [5, 2]}, {"numbers": [7]}, {"numbers": []}]
GROUPS = [{"table": SALES.assign(value=SALES["value"] * n)} for n in (1, 2, 3)]
WRONG: Sequence[tuple[Check, Sequence[Inputs], Callable[..., Any]]] = (
    (Close(np.std, 1e-6), [{"a": case["numbers"]} for case in NUMBERS], lambda a: np.std(a, ddof=1)),
    (Close(np.std, 1e-6), [{"a": case["numbers"]} for case in NUMBERS], np.var),
    (Exact(lambda numbers: int(np.argmax(numbers))), NUMBERS, lambda numbers: int(np.argmax(numbers)) + 1),
    (Exact(lambda numbers: sorted(numbers.tolist())), NUMBERS, lambda numbers: sorted(numbers.tolist())[::-1]),
    (Exact(_words), TEXTS, lambda text: {word: text.split().count(word) for word in text.split()}),
    (Text(_title, ignoring=("spaces",)), TEXTS, lambda text: text.capitalize()),
    (Text(_title, ignoring=("spaces",)), TEXTS, lambda text: " ".join(text.split()[:-1])),
    (Table(_mean), GROUPS, lambda table: table.groupby("group")["value"].mean()),
    (Table(_mean), GROUPS, lambda table: table.groupby("group", as_index=False)["value"].sum()),
    (Raises(_first), LISTS, lambda numbers: numbers[0]),
)  # fmt: skip
POINTS = re.compile(
    r"factor|amount|reverse|order|capital|too soon|index|column|key|another class|square|after it|larger"
)


def told(check: Check, cases: Sequence[Inputs], answer: Callable[..., Any]) -> str:
    """Return the message on an answer to a question in a homework without known mistakes."""
    question = Question("q", Ask("", ("q",)), check, lambda rng: cases)
    outcomes = []
    for number, case in enumerate(cases):
        call = lambda case=case: {RESULT: answer(*case.values())}  # noqa: E731
        value = evaluate.READERS[check.reads](call)
        outcomes.append(Outcome("q", number, "returned", across(value)))
    digest = drawing.digests(Homework("Mini", (question,)), submission=ANYONE, secret="")
    log = SubmissionLog("hw", ANYONE, outcomes=tuple(outcomes), inputs=digest)
    (mark,) = judge(Homework("Mini", (question,)), log, secret="").marks
    assert mark.earned == 0
    return mark.message


def test_half_of_ten_wrong_answers_are_pointed_somewhere() -> None:
    """Without a known mistake: numbers, texts, tables and errors."""
    messages = [told(*one) for one in WRONG]
    pointed = [message for message in messages if POINTS.search(message)]
    assert len(pointed) >= 5, messages
