"""relation: what is wrong is named, and the right numbers are not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.kit.comparison import distance, relation, rounded
from autograder.model import Array
from tests.helpers import FUZZ, count

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


def why(got: Array, right: Array) -> str:
    return rounded([(got, right)], tolerance=1e-6)


def bfloat16(numbers: Array) -> Array:
    """Keep eight binary digits."""
    mantissa, exponent = np.frexp(numbers)
    return np.asarray(np.ldexp(np.round(np.ldexp(mantissa, 8)), exponent - 8))


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (RIGHT.astype(np.float16).astype(float), "half precision"),
        (bfloat16(RIGHT), "half precision"),
        (bfloat16(bfloat16(RIGHT) * bfloat16(RIGHT / RIGHT + 0.01)), "half precision"),
        (np.round(RIGHT, 2), "rounded after a few digits"),
        (np.round(RIGHT, 2).astype(np.float32).astype(float), "rounded after a few digits"),
        (np.round(RIGHT), "rounded to whole ones"),
    ],
)
def test_rounding_is_named_where_it_explains_every_number(got: Array, sentence: str) -> None:
    """Also over several arrays; not where one of them is wrong in another way."""
    assert sentence in why(got, RIGHT)
    assert sentence in rounded([(got, RIGHT), (got[::-1], RIGHT[::-1])], tolerance=1e-6)
    assert rounded([(got, RIGHT), (1.2 * RIGHT, RIGHT)], tolerance=1e-6) == ""
    assert rounded([], tolerance=1e-6) == ""


# How numbers come to be nearly right, or few, without any rounding.
OTHER_CAUSES = {
    "a learning rate of 0.0009 for 0.001": lambda right: right * 0.9,
    "one less below the root": lambda right: np.sqrt(np.abs(right) * 1000 + 1),
    "a small error in each": lambda right: right * (1 + 1e-3 * np.cos(right)),
    "an error in one": lambda right: right + 1e-3 * (right == right.max()),
    "numbers that are cut off": lambda right: np.clip(right, *np.quantile(right, (0.2, 0.8))),
    "the whole part": np.trunc,
    "the whole number below": np.floor,
    "the first two digits, cut": lambda right: np.trunc(100 * right) / 100,
    "the largest alone": lambda right: 1.0 * (right == right.max(axis=-1, keepdims=True)),
    "signs": np.sign,
    "zeros": np.zeros_like,
    "halves": lambda right: np.round(2 * right) / 2 + 0.5,
    "quarters beside them": lambda right: np.round(4 * right) / 4 + 0.25,
    "single precision": lambda right: right.astype(np.float32).astype(float),
    "a series that ends early": lambda right: np.expm1(right / 100) * 100,
    "a small constant": lambda right: right + 1e-4,
    "another key that collides": lambda right: np.roll(right, 1, axis=0),
    "a mean": lambda right: np.full_like(right, right.mean()),
    "the right ones": lambda right: right,
}


@pytest.mark.fuzzed
@pytest.mark.parametrize("cause", OTHER_CAUSES)
@given(st.integers(0, 10**6), st.sampled_from([1e-5, 0.01, 1.0, 30.0, 1e4]))
@settings(FUZZ, max_examples=count(full=2_000, slice=30))
def test_rounding_is_not_named_for_any_other_cause(cause: str, seed: int, size: float) -> None:
    """Whatever the numbers and their size: it would send a student the wrong way (slice: 570)."""
    rng = np.random.default_rng(seed)
    right = size * rng.normal(size=rng.integers(1, 7, size=2))
    got = np.asarray(OTHER_CAUSES[cause](right))
    shares = rng.dirichlet(np.full(5, 0.2), size=4)
    for one, other in ((got, right), (np.asarray(OTHER_CAUSES[cause](shares)), shares)):
        said = why(one, other)
        # Some are what rounding gives: then that is a fact.
        for digits in range(6):
            if np.allclose(one, np.round(other, digits), rtol=0, atol=1e-9 * np.abs(other).max()):
                said = ""
        assert said == "", (cause, one, other)


@pytest.mark.fuzzed
@given(st.data())
@FUZZ
def test_what_is_claimed_is_true(data: st.DataObject) -> None:
    """Each sentence is looked at by another way to find it out (slice: 500)."""
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    rows, columns = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    right = data.draw(st.sampled_from([1e-6, 1e-3, 1.0, 1e6])) * np.asarray(
        data.draw(
            st.sampled_from(
                [
                    rng.normal(size=(rows, columns)),
                    rng.integers(-1, 2, size=(rows, columns)).astype(float),
                    np.tile(rng.normal(size=columns), (rows, 1)),
                    rng.dirichlet(np.ones(columns), size=rows),
                ]
            )
        )
    )
    got = np.asarray(
        data.draw(
            st.sampled_from(
                [
                    1e-9 * right,
                    0.5 * right,
                    -right,
                    right + 1,
                    right[::-1],
                    np.zeros_like(right),
                    np.full_like(right, 1e-12),
                    np.tile(right[:1], (rows, 1)),
                    rng.normal(size=right.shape),
                    np.sign(right),
                    np.full_like(right, np.nan),
                ]
            )
        )
    )
    sentence = said(got, right)
    with np.errstate(all="ignore"):
        ratios = (got / right)[right != 0]
    if "zero" in sentence:
        assert not got.any()
    if "wrong sign" in sentence or "same factor" in sentence:
        assert got.any()
        assert np.ptp(ratios) < 1e-2 * np.abs(ratios).max()
    if "same amount" in sentence:
        assert np.ptp(got - right) < 1e-2 * max(np.abs(right).max(), np.abs(got).max())
    if "should not be" in sentence:
        assert not (right == right[0]).all()
    if "do not sum" in sentence:
        assert not np.isclose(got.sum(axis=1), right.sum(axis=1), rtol=1e-4, atol=0).any()
    assert np.isfinite(got).all() or not sentence


@pytest.mark.parametrize(
    "got",
    [
        np.zeros((4, 4)),
        np.full((4, 4), 7.0),
        np.full((4, 4), 7.0) + 1e-3 * RIGHT,
        np.where(np.arange(16).reshape(4, 4) < 1, 1.1 * RIGHT, RIGHT),
        np.where(RIGHT.max() == RIGHT, np.inf, RIGHT),
        np.where(RIGHT > 0, 1e6, RIGHT),
    ],
)
def test_a_distance_gives_no_right_number_away(got: Array) -> None:
    """From numbers that are alike, or a single one, it would be a right one's."""
    assert distance(got, RIGHT, wrong=got != RIGHT) == ""


def test_a_distance_is_said_of_several_numbers() -> None:
    """In two digits, where what came back differs as much as it is off."""
    assert distance(1.1 * RIGHT, RIGHT, wrong=np.ones((4, 4), bool)) == "0.23"
