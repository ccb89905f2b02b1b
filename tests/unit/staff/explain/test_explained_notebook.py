"""Inputs as Python code: reading it back gives exactly the same."""

from typing import Any

import numpy as np
import pytest

from autograder.records.tables import Frame
from autograder.staff.explain.explanation import first_difference
from autograder.staff.explain.notebook import literal

TABLE = Frame(("a",), ("numbers",), ((1.5, None),), (0, 1))


@pytest.mark.parametrize(
    "value",
    [
        np.random.default_rng(0).normal(size=(3, 4)) * 1e-7,
        np.array(0.1),
        np.array(3),
        np.zeros((0, 5)),
        np.arange(6).reshape(2, 3),
        np.array([True, False]),
        [1, 2.5, "'\"\n", None, True],
        (1,),
        (),
        {"a": [1, (2, 3)], 4: {5, 6}},
        set(),
        frozenset({1}),
        float("nan"),
    ],
    ids=repr,
)
def test_a_literal_gives_the_same(value: Any) -> None:
    """It needs only numpy in its namespace."""
    namespace: dict[str, Any] = {"np": np}
    exec(literal("inputs", {"x": value}), namespace)
    found = namespace["inputs"]["x"]
    if isinstance(value, np.ndarray):
        np.testing.assert_array_equal(found, value)
        assert found.shape == value.shape
    else:
        assert repr(found) == repr(value)


def test_a_table_is_one_of_pandas_again() -> None:
    """The adapter receives the same."""
    namespace: dict[str, Any] = {"np": np}
    exec(literal("inputs", {"x": TABLE}), namespace)
    assert namespace["inputs"]["x"]["a"].tolist()[0] == 1.5
    assert namespace["inputs"]["x"]["a"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("got", "right", "said"),
    [
        (np.eye(2), np.eye(2), ""),
        (np.eye(2), np.ones((2, 2)), "x[0, 1] is 0, but should be 1; 2 of 4 numbers differ."),
        (np.array(2.0), np.array(3.0), "x is 2, but should be 3."),
        (np.eye(2), np.eye(3), "x has shape (2, 2), but should have (3, 3)."),
        ([1, [2, 3]], [1, [2, 4]], "x[1][1] is not right."),
        ("a", 1, "x is text, and should be a number."),
        (np.array(1.5), 1.5, ""),
    ],
)
def test_the_first_difference(got: Any, right: Any, said: str) -> None:
    """The sentence has its place, and both numbers."""
    assert first_difference({"x": got}, {"x": right}, tolerance=1e-6) == said


def test_what_is_missing_is_said() -> None:
    """The sentence has its name."""
    assert first_difference({}, {"x": np.eye(2)}, tolerance=0) == "x is missing."
