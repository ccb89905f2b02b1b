"""The comparison of two values, and their form on a sheet."""

from typing import Any

import numpy as np
import pytest

from autograder.staff.defence.kinds.common import are_apart
from autograder.staff.defence.records import Call, Unreadable
from autograder.staff.defence.running.study import is_workable
from autograder.staff.defence.values import (
    same,
    same_result,
    shape_of,
    size,
    written,
)


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        (1, 1.0, True),
        (np.array([1.0, 2.0]), [1, 2], True),
        (np.array([1.0, 2.0]), np.array([[1.0, 2.0]]), False),
        (0.5, 0.5000001, True),
        (0.5, 0.501, None),
        (0.5, 0.6, False),
        ((1, np.zeros(2)), (1, np.zeros(2)), True),
        ((1, np.zeros(2)), (1, np.ones(2)), False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        (1, Unreadable("function"), None),
        (float("nan"), float("nan"), None),
        (None, 1.0, False),
        ("a", "a", True),
    ],
)
def test_same(one: Any, other: Any, are: bool | None) -> None:
    """Two values are clearly equal, clearly different, or undecided."""
    assert same(one, other) is are
    assert same(other, one) is are


def test_what_raises_is_the_same_where_the_error_is() -> None:
    """An error never equals a value."""
    error, value = Call(raised="ValueError"), Call(returned=1)
    assert same_result(error, Call(raised="ValueError"))
    assert same_result(error, value) is False
    assert same_result(None, value) is None


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (3.0, "3"),
        (1 / 3, "0.333"),
        (123456.7, "123000"),
        (-1e-5, "-1e-05"),
        (np.array([[1.0, 2.5]]), "[[1, 2.5]]"),
        ((1, [True, None]), "(1, [True, None])"),
        ((0.5,), "(0.5,)"),
        ({"a": 1}, "{'a': 1}"),
        (float("inf"), "inf"),
    ],
)
def test_written(item: Any, text: str) -> None:
    """Numbers have three digits, integers no point."""
    assert written(item) == text


def test_what_cannot_be_shown_has_no_size() -> None:
    """This covers functions, infinite numbers, long texts and empty arrays."""
    for item in (Unreadable("f"), float("nan"), "x" * 100, np.zeros(0), []):
        assert size(item) == float("inf")
    assert size((1, np.zeros((2, 3)))) == 7


def test_what_is_no_plain_data_is_named_with_its_article() -> None:
    """Examples are an optimiser, a function and a shape."""
    assert shape_of(Unreadable("AdamW")) == "an AdamW"
    assert shape_of(Unreadable("")) == "a "  # a student's class may have no name
    assert shape_of(Unreadable("function")) == "a function"
    assert shape_of([np.zeros((2, 3)), 1.5]) == "[shape (2, 3), 1.5]"


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ([-3.31, -3.32], [-3.35, -3.34], False),
        ([0.155, 0.05], [0.09, 0.05], True),
        (1.0, 1.0, False),
        (16, 1024, True),
        ((1.0, [2.0]), (1.0, [2.0, 3.0]), True),
        (0.0, 0.0, False),
        (3.0, 3.04, False),
        (("a", 1.0), ("b", 1.0), True),
    ],
)
def test_choices_are_plainly_different(one: Any, other: Any, are: bool) -> None:
    """They differ by a tenth, which people see without a computer."""
    assert are_apart(one, other) is are
    assert are_apart(other, one) is are


@pytest.mark.parametrize(
    ("number", "can"),
    [
        (3.6, True),
        (-0.05, True),
        (928, True),
        (4.0, True),
        (3.63, False),
        (1200.0, False),
        (0.0001, False),
        (float("nan"), False),
    ],
)
def test_a_person_works_with_few_and_short_numbers(number: float, can: bool) -> None:
    """Two digits, or three for integers; at most 26 numbers, and only plain data."""
    assert is_workable(Call(given={"x": np.array([1.0, number])})) is can
    assert not is_workable(Call(given={"x": np.ones(27)}))
    assert not is_workable(Call(own={"x": Unreadable("f")}))
