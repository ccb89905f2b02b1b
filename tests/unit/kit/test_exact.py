"""exact: what differs is named, and never what is right."""

import itertools
from typing import Any

import numpy as np
import pytest

from autograder.kit import Exact, Property, Text
from autograder.kit.notebook.plain_data import unlike
from autograder.model import RESULT, Inputs


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
        ([2, 1], [1, 2], "it has the right items in another order."),
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
    ],
)
def test_the_first_difference_is_named(got: Any, right: Any, said: str) -> None:
    """From the outside to the inside."""
    assert unlike(got, right, place="it") == said


def test_a_tolerance_is_for_numbers_alone() -> None:
    """However deep they are."""
    assert not unlike([{"x": 1.001}], [{"x": 1.0}], tolerance=0.01)
    assert unlike([{"x": 1.1}], [{"x": 1.0}], tolerance=0.01)


def words(text: str) -> list[str]:
    return text.split()


def test_an_exact_answer() -> None:
    """The message tells what the case was by its size, and what it is not."""
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


def sorted_by_size(found: Any, numbers: list[int]) -> bool | str:
    if sorted(found) != sorted(numbers):
        return "the numbers are not those that were given."
    return all(abs(a) <= abs(b) for a, b in itertools.pairwise(found))


def test_a_property_has_many_right_answers() -> None:
    """False and a sentence lose; a value of another kind has no such property."""
    check = Property(sorted_by_size)
    case: Inputs = {"numbers": [2, -2, 1]}
    assert (
        check(case, {RESULT: [1, 2, -2]}).fraction
        == check(case, {RESULT: [1, -2, 2]}).fraction
        == 1
    )
    assert "does not have the property" in check(case, {RESULT: [2, 1, -2]}).message
    assert "not those that were given" in check(case, {RESULT: [1]}).message
    assert "is a number, and not of the kind" in check(case, {RESULT: 5}).message
    assert check(case, {}).fraction == 0
