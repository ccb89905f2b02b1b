"""exact: differences are named, but never the right value."""

import itertools
import re
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from autograder.kit import Exact, Property, Text, Value, Verdict
from autograder.kit.notebook.plain_data import kind_of, unlike
from autograder.marking.check_limits import CheckFailed, call
from autograder.records import data
from autograder.records.questions import RESULT, Inputs
from autograder.records.tables import Frame

TABLE = pd.DataFrame({"n": [1, 2], "x": [0.5, None]})


LONG = np.arange(3000.0)
"""An array whose text leaves out most of its numbers."""


@pytest.mark.parametrize(
    ("got", "right", "said"),
    [
        (3, 3.0, ""),
        (True, 1, "it is a truth value, and should be a number."),
        (None, [1], "it is None, and should be a list: is there a `return`?"),
        (4, 3, "it is not right."),
        (float("nan"), float("nan"), ""),
        ("Abc ", "abc", "it is right but for spaces or capital letters."),
        ((1, 2), [1, 2], "it is a tuple, and should be a list."),
        ([1], [1, 2], "it has 1 item, and should have 2."),
        ("x\u00b2", "x2", "it is not right."),
        ("1+1", "11", "it is not right."),
        ([2, 1], [1, 2], "it has the right items in a different order."),
        ([LONG + (LONG == 500), LONG], [LONG, LONG], "it[0] is not right."),
        ([LONG + 1, LONG], [LONG, LONG + 1], "it has the right items in a different order."),
        ([1, [2, "x"]], [1, [2, "y"]], "it[1][1] is not right."),
        (
            {"a": 1, "q": 2},
            {"a": 1, "b": 2},
            "it has 'q' as a key, which does not belong there and lacks 1 of the 2 keys.",
        ),
        ({"a": 1}, {"a": 2}, "it['a'] is not right."),
        (
            frozenset({1, 3}),
            frozenset({1, 2}),
            "it has 3, which does not belong there and lacks 1 item.",
        ),
        (frozenset({1}), frozenset({1}), ""),
        (frozenset({1}), frozenset({1, 2}), "it lacks 1 item."),
        ({"a": 1}, {"a": 1, "b": 2}, "it lacks 1 of the 2 keys."),
        (np.ones(2), np.ones(3), "it should have shape (3,), and has (2,)."),
        (np.ones(2), np.ones(2), ""),
        (np.ones(2), np.zeros(2), "it is not right."),
        (10**999, 3.0, "it is not right."),
        (10**999, 10**999, ""),
        (np.array([2**53 + 1]), np.array([2.0**53]), "it is not right."),
        (
            frozenset({True, 2}),
            frozenset({1, 2}),
            "it has True, which does not belong there and lacks 1 item.",
        ),
        (frozenset({1.0, -0.0}), frozenset({1, 0}), ""),
        (
            {True: 5},
            {1: 5},
            "it has True as a key, which does not belong there and lacks 1 of the 1 keys.",
        ),
        ({1.0: 5, float("nan"): 6}, {1: 5, float("nan"): 6}, ""),
        ({(0, 1): 5}, {(False, 1): 5}, "it has (0, 1) as a key"),
        (frozenset({(1, frozenset({0}))}), frozenset({(1, frozenset({False}))}), "it has (1, "),
        (frozenset({(float("nan"), 2)}), frozenset({(float("nan"), 2.0)}), ""),
        (data.read(TABLE), data.read(TABLE), ""),
        (data.read(TABLE.astype(float)), data.read(TABLE), "it is not right."),
    ],
)
def test_the_first_difference_is_named(got: Any, right: Any, said: str) -> None:
    """The search goes from the outside to the inside."""
    found = unlike(got, right, place="it")
    assert found.startswith(said) if said else not found


def test_a_tolerance_is_for_numbers_alone() -> None:
    """This holds at any depth."""
    assert not unlike([{"x": 1.001}], [{"x": 1.0}], tolerance=0.01)
    assert unlike([{"x": 1.1}], [{"x": 1.0}], tolerance=0.01)
    assert unlike(10**999, 1.0, tolerance=0.01)
    assert unlike(True, False, tolerance=2)


def words(text: str) -> list[str]:
    return text.split()


def test_an_exact_answer() -> None:
    """The message describes the case by its size, and says what is wrong."""
    check = Exact(words)
    assert check({"text": "a b"}, {RESULT: ["a", "b"]}).fraction == 1
    verdict = check({"text": "a b"}, {RESULT: ["a", "c"]})
    assert (verdict.fraction, verdict.message) == (
        0,
        f"For text (3 characters): {RESULT}[1] is not right.",
    )
    assert check.likeness({"text": "a b"}, {RESULT: ["a"]}, {RESULT: ["a"]}) == 1
    assert check.likeness({"text": "a b"}, {RESULT: ["a"]}, {RESULT: ["b"]}) == 0


@pytest.mark.parametrize(
    ("got", "said"),
    [
        ("The  GPT", ""),
        ("the, gpt", "is right but for spaces, capital letters or punctuation"),
        ("the +gpt", "the result is not right"),
        ("...", "the result is not right"),
        ("", "is empty"),
        ("gtp", "is not right"),
        (3, "is a number, and should be text"),
    ],
)
def test_text_that_is_normalised(got: Any, said: str) -> None:
    """By default spaces and capital letters make no difference."""
    verdict = Text(lambda text: text)({"text": "the gpt"}, {RESULT: got})
    assert (said in verdict.message) if said else verdict.fraction == 1
    loose = Text(lambda text: text, ignoring=("spaces", "capitals", "punctuation"))
    assert loose({"text": "the gpt"}, {RESULT: "The, GPT!"}).fraction == 1


def test_accents_upon_accents_take_no_time() -> None:
    """Unicode requires sorting them, which takes minutes for a megabyte, without interruption."""
    for pile in ("\u0301\u0316", "\u0f73"):
        value: Value = {RESULT: f"a{pile * 100_000}"}
        started = time.process_time()
        assert Text(lambda: "\u00e1 \u212b")({}, value).fraction == 0
        assert time.process_time() - started < 1
    assert Text(lambda: "\u00e1 \u212b")({}, {RESULT: "a\u0301 A\u030a"}).fraction == 1


def test_text_is_like_no_value_of_another_kind() -> None:
    """A known mistake may return anything, such as None if `return` is missing."""
    assert Text(lambda: "a").likeness({}, {RESULT: "b"}, {RESULT: None}) == 0
    assert Text(lambda: "a").likeness({}, {RESULT: None}, {RESULT: None}) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("abc", "text (3 characters)"),
        ("na\u00efve", "text (5 characters, with letters beyond a to z)"),
        ("a\nb", "text (3 characters, with several lines)"),
        ("\u03b1\n\u03b2\n", "text (4 characters, with letters beyond a to z and several lines)"),
        ("12 \u2026\n", "text (5 characters)"),
    ],
)
def test_a_case_of_text_tells_its_kind(text: str, said: str) -> None:
    """The text itself stays hidden."""
    assert f"For {said}: " in Exact(lambda text: 1)({"text": text}, {RESULT: 2}).message


def sorted_by_size(found: Any, numbers: list[int]) -> bool | str:
    if sorted(found) != sorted(numbers):
        return "the numbers are not those that were given."
    return all(abs(a) <= abs(b) for a, b in itertools.pairwise(found))


def test_a_property_has_many_right_answers() -> None:
    """False and a sentence lose; a value of the wrong kind cannot have the property."""
    check = Property(sorted_by_size)
    case: Inputs = {"numbers": [2, -2, 1]}
    assert (
        check(case, {RESULT: [1, 2, -2]}).fraction
        == check(case, {RESULT: [1, -2, 2]}).fraction
        == 1
    )
    assert "does not have the property" in check(case, {RESULT: [2, 1, -2]}).message
    assert "not those that were given" in check(case, {RESULT: [1]}).message
    said = "the result is a number for which this property cannot be tested."
    assert check(case, {RESULT: 5}).message == f"For numbers (a list of 3): {said}"
    assert check(case, {}).fraction == 0
    assert check.likeness(case, {RESULT: [{}, np.ones(2)]}, {RESULT: [{}, np.ones(2)]}) == 1
    assert check.likeness(case, {RESULT: [True]}, {RESULT: [1]}) == 0


@pytest.mark.parametrize(
    ("holds", "got"),
    [
        (lambda got: 1 / got > 0, 0),
        (lambda got: 2.0**got > 0, 10**4),
        (lambda got: float(got) > 0, 10**999),
        (lambda got: got[3] > 0, [1]),
        (lambda got: next(iter(got)) > 0, []),
        (lambda got: re.match(got, "a") is not None, "("),
        (lambda got: bool(got > 0), np.ones(2)),
        (lambda got: got["a"].sum() > 0, Frame(("a",), ("whole numbers",), ((2**64,),), (0,))),
        (lambda got: endless(got), 3),
    ],
)
def test_what_a_value_raises_in_a_property_is_wrong(holds: Any, got: Any) -> None:
    """Whatever the error, its words are about the author's code, so none are shown."""
    verdict = call(Property(holds), {}, {RESULT: got})
    kind = kind_of(got)
    assert verdict == Verdict(
        0.0, f"The result is {kind} for which this property cannot be tested."
    )


def endless(number: int) -> int:
    return endless(number)


@pytest.mark.parametrize(
    ("holds", "error"),
    [
        (lambda got: misspelt(got), "NameError"),  # type: ignore[name-defined]  # noqa: F821
        (lambda got: __import__("no_such_module") is got, "ModuleNotFoundError"),
        (lambda got: np.zeros((10**6, got)).sum() > 0, "it took more than"),
    ],
)
def test_what_no_value_brings_about_is_the_authors(holds: Any, error: str) -> None:
    """Missing names and excessive resources cost nobody points silently."""
    with pytest.raises(CheckFailed, match=error):
        call(Property(holds), {}, {RESULT: 10**6})


def test_sentences_of_an_author_end_and_tell_of_inputs_that_have_sizes() -> None:
    """If each input is one number, its name says nothing; a missing full stop is added."""
    numbers = {"start": 1.0, "n": 3}
    check = Property(lambda got, **_: f"its length is {got}")
    assert check(numbers, {RESULT: 4}).message == "Its length is 4."
    assert check({**numbers, "x": [1]}, {RESULT: 4}).message.endswith(": its length is 4.")
    assert "x (a list of 1)" in check({**numbers, "x": [1]}, {RESULT: 4}).message
    asked = Property(lambda got, **_: "is it long?")
    assert asked(numbers, {RESULT: 4}).message == "Is it long?"
    named = Property(lambda got, **_: {"it is even": False})
    assert named(numbers, {RESULT: 3}).message == "The result fails in: it is even."
    assert Exact(lambda **_: 3)(numbers, {RESULT: 4}).message == "The result is not right."


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ({"secret": "de", "back": "ab"}, True),
        ({"secret": "de", "back": "aB"}, False),
        ({"back": "ab"}, False),
        ({RESULT: "ab"}, False),
        ({}, False),
    ],
)
def test_an_adapters_values_are_read_by_their_names(value: Value, right: bool) -> None:
    """This works for a property, and for a reference that returns the same dict."""

    def returns(result: Any, text: str) -> bool:
        return bool(result["back"] == text and len(result["secret"]) == len(text))

    case: Inputs = {"text": "ab"}
    check = Property(returns)
    assert (check(case, value).fraction == 1) is right
    exact = Exact(lambda text: {"secret": "de", "back": text})
    assert (exact(case, value).fraction == 1) is right
    assert exact.likeness(case, value, {"secret": "de", "back": "ab"}) == right
    assert "None" not in check(case, value).message or not value
