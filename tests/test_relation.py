"""relation: what is wrong is named, and the right numbers are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.marks.relation import few_digits, relation
from autograder.model import Array
from tests.conftest import FUZZ

RIGHT = np.random.default_rng(0).normal(size=(4, 4))
BISTOCHASTIC = np.full((3, 3), 0.25) + 0.25 * np.eye(3)


def said(got: Array, right: Array = RIGHT) -> str:
    return relation(got, right, tolerance=1e-4)


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (0 * RIGHT, "All of them are zero."),
        (-RIGHT, "Every one has the wrong sign and the right size."),
        (2 * RIGHT, "All are off by the same factor."),
        (-RIGHT / 3, "All are off by the same factor."),
        (RIGHT.T, "It is the transpose of what it should be."),
        (RIGHT + 1, "All are off by the same amount."),
        (np.vstack([RIGHT[:1], RIGHT[1:] * 3]), "The first row is right, and no other."),
        (np.vstack([RIGHT[:3], RIGHT[3:] * 3]), "3 of the 4 rows are right."),
        (RIGHT[[1, 2, 3, 0]], "The right rows are there, in another order."),
        (RIGHT[:, [1, 2, 3, 0]], "The right columns are there, in another order."),
        (
            np.broadcast_to(RIGHT.mean(axis=0), (4, 4)),
            "All rows are equal, and they should not be.",
        ),
        (np.random.default_rng(1).normal(size=(4, 4)), ""),
    ],
)
def test_simple_relations_are_named(got: Array, sentence: str) -> None:
    """One sentence each, the simplest one."""
    assert said(got) == sentence


def test_weights_that_do_not_sum_are_named() -> None:
    """Where rows should have one sum and do not."""
    wrong = BISTOCHASTIC * np.array([[1.5], [0.7], [1.2]]) + np.eye(3) * 0.1
    assert said(wrong, BISTOCHASTIC) == "The rows do not sum to what they should."


@pytest.mark.fuzzed
@given(st.data())
@FUZZ
def test_it_never_crashes_and_names_no_number(data: st.DataObject) -> None:
    """Whatever the shapes and sizes: a sentence without a number of either array (slice: 700)."""
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    numbers = st.lists(
        st.sampled_from([0.0, 1.0, -1.0, 1e300, -1e-300, 0.123456789]),
        min_size=int(np.prod(shape)),
        max_size=int(np.prod(shape)),
    )
    got, right = (np.array(data.draw(numbers)).reshape(shape) for _ in range(2))
    sentence = said(got, right)
    assert "." not in sentence[:-1]
    assert "123" not in sentence


def test_few_digits_are_told_from_wrong_ones() -> None:
    """Numbers rounded to halves or to whole numbers; not a mistake that is small by chance."""
    half = RIGHT.astype(np.float16).astype(np.float64)
    assert "first digits only" in few_digits([(half, RIGHT), (2 * half, 2 * RIGHT)])
    assert "whole numbers" in few_digits([(np.round(RIGHT), RIGHT)])
    assert few_digits([(half, RIGHT), (1.2 * RIGHT, RIGHT)]) == ""
    cancelled = (1.05 * RIGHT, RIGHT)
    assert "first digits only" in few_digits([(half, RIGHT), (half, RIGHT), cancelled])
    assert few_digits([(half, RIGHT), cancelled, cancelled]) == ""
    assert few_digits([]) == ""
