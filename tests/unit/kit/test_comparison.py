"""relations: they describe what is wrong, without the right numbers."""

import itertools
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.kit.comparison import distance, relations, rounded
from autograder.records.questions import Array
from tests.helpers import FUZZ, count

RIGHT = np.random.default_rng(0).normal(size=(4, 4))
BISTOCHASTIC = np.full((3, 3), 0.25) + 0.25 * np.eye(3)


def said(got: Array, right: Array = RIGHT) -> str:
    return next(iter(relations(got, right, tolerance=1e-4)), "")


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
        (
            np.vstack([RIGHT[:3], RIGHT[3:] * 3]),
            "The first 3 of the 4 rows are right, and none after them.",
        ),
        (RIGHT * [[3], [1], [3], [1]], "2 of the 4 rows are right."),
        (RIGHT * [[3], [3], [1], [3]], "1 of the 4 rows is right."),
        (RIGHT[[1, 2, 3, 0]], "Each row but the last is the one that belongs after it."),
        (RIGHT[[3, 0, 1, 2]], "Each row but the first is the one that belongs before it."),
        (RIGHT[::-1], "The right rows are there, in the reverse order."),
        (RIGHT[[1, 0, 3, 2]], "The rows are right, but in a different order."),
        (RIGHT[:, [1, 2, 3, 0]], "The columns are right, but in a different order."),
        (
            RIGHT.ravel()[[*range(3, 16), 1, 0, 2]].reshape(4, 4),
            "The right numbers are there, in other places.",
        ),
        (np.abs(RIGHT), "The sizes are right, and some signs are not."),
        (RIGHT**2, "Each is the square of what it should be."),
        (np.exp(RIGHT), "Each is the exponential of what it should be."),
        (RIGHT * [1, 1, 1, 3], "The first 3 of the 4 columns are right, and none after them."),
        (RIGHT + np.eye(4), "Only the diagonal is wrong."),
        (
            np.tril(RIGHT),
            "Numbers are wrong above the diagonal only: on it and below it all are right.",
        ),
        (RIGHT * [[2], [3], [4], [5]], "Each row is right but for a factor."),
        (
            RIGHT + np.arange(2.0, 6)[:, None],
            "Each row is right but for an amount that is added to it.",
        ),
        (RIGHT * [2, 3, 4, 5], "Each column is right but for a factor."),
        (np.maximum(RIGHT, 0), "Those that should be negative are wrong, and no others."),
        (RIGHT + np.abs(RIGHT) ** 3 + 1e-2, "Every number is too large."),
        (
            np.broadcast_to(RIGHT.mean(axis=0), (4, 4)),
            "All rows are equal, and they should not be.",
        ),
        (np.random.default_rng(1).normal(size=(4, 4)), ""),
        (RIGHT, ""),
    ],
)
def test_simple_relations_are_named(got: Array, sentence: str) -> None:
    """Each gets one sentence, the simplest."""
    assert said(got) == sentence


def test_weights_that_do_not_sum_are_named() -> None:
    """Rows should have one sum but do not."""
    wrong = BISTOCHASTIC * np.array([[1.5], [0.7], [1.2]]) + np.eye(3) * 0.1
    assert said(wrong, BISTOCHASTIC) == "The rows do not sum to what they should."


@pytest.mark.fuzzed
@given(st.data())
@FUZZ
def test_it_never_crashes_and_names_no_number(data: st.DataObject) -> None:
    """For any shapes and sizes, the sentence has no number of either array (slice: 700)."""
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
    """This works over several arrays, unless one of them is wrong in a different way."""
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
    """It would mislead students, whatever the numbers and sizes (slice: 570)."""
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


def close(one: Array, other: Array) -> bool:
    """Return whether two arrays agree relative to their own size, which may be tiny or huge."""
    size = np.abs(other).max(initial=0.0)
    return one.shape == other.shape and bool((np.abs(one - other) <= 1e-3 * size).all())


def lines(got: Array, right: Array, noun: str) -> Array:
    """Return the rows, columns, matrices or numbers that are right."""
    if noun.startswith("column"):
        got, right = got.T, right.T
    pairs = zip(got, right, strict=True)
    return np.array([np.allclose(one, other, rtol=1e-4, atol=1e-4) for one, other in pairs])


def ratios(got: Array, right: Array) -> Array:
    """Return the factors between numbers, where they exist."""
    large = np.abs(right) > 1e-2 * np.abs(right).max()
    return np.asarray(got[large] / right[large])


def alike(numbers: Array, size: float) -> bool:
    return bool(np.ptp(numbers) <= 0.1 * size)


def one_factor(got: Array, right: Array) -> bool:
    """Return whether the factor of the largest number explains all differences."""
    largest = np.unravel_index(np.abs(right).argmax(), right.shape)
    found = got[largest] / right[largest]
    left = np.abs(got - found * right).max()
    return bool(
        left <= 0.05 * np.abs(got - right).max() and close(got, found * right) and found != 1
    )


def one_amount(got: Array, right: Array) -> bool:
    return alike(got - right, np.abs(got - right).min())


def counted(found: Array, text: str) -> bool:
    number, total = map(int, re.findall(r"\d+", text))
    return bool(found.sum() == number and len(found) == total)


def first(found: Array) -> bool:
    return bool(found[0] and not found[found.argmin() :].any() and not found.all())


def only(found: Array, place: int) -> bool:
    return bool(found[place] and found.sum() == 1)


def wrong(got: Array, right: Array) -> Array:
    return ~np.isclose(got, right, rtol=1e-4, atol=1e-4)


CLAIMS: dict[str, Callable[[Array, Array, str], bool]] = {
    "All of them are zero": lambda g, r, s: not g.any() and g.size > 1,
    "Every one has the wrong sign": lambda g, r, s: close(-g, r),
    "All are off by the same factor": lambda g, r, s: one_factor(g, r),
    "All are off by the same amount": lambda g, r, s: one_amount(g, r),
    "It is the transpose": lambda g, r, s: close(g.T, r),
    "It is right but for the order of its axes": lambda g, r, s: any(
        close(g.transpose(p), r) for p in itertools.permutations(range(g.ndim))
    ),
    "The sizes are right, and some signs": lambda g, r, s: (
        close(np.abs(g), np.abs(r)) and bool(((g < 0) != (r < 0)).any())
    ),
    "Each is the square of": lambda g, r, s: close(g, r * r),
    "Each is the square root": lambda g, r, s: close(g**2, r),
    "Each is the exponential": lambda g, r, s: close(np.log(g), r) or close(g, np.e**r),
    "Each is the logarithm": lambda g, r, s: close(np.exp(g), r) or close(g, np.log(r)),
    "Each is the reciprocal": lambda g, r, s: close(g * r, np.ones_like(r)),
    "The right .* in the reverse order": lambda g, r, s: close(np.flip(g, 0), r),
    "Each .* but the first is": lambda g, r, s: all(
        close(g[i + 1], r[i]) or not r[i].any() or close(g[1:], r[:-1]) for i in range(len(g) - 1)
    ),
    "Each .* but the last is": lambda g, r, s: close(g[:-1], r[1:]),
    "The (rows|columns) are right, but in a different order": lambda g, r, s: rearranged(
        *((g.T, r.T) if "columns" in s else (g, r))
    ),
    "The right numbers are there, in other places": lambda g, r, s: rearranged(
        g.reshape(-1, 1), r.reshape(-1, 1)
    ),
    "The rows do not sum": lambda g, r, s: bool(
        (np.abs((g - r).sum(axis=1)) > 5e-4 * np.abs(r).sum(axis=1).max()).all()
    ),
    "All (numbers|rows|matrices|parts) are equal": lambda g, r, s: (
        all(close(line, g[0]) for line in g) and not all(close(line, r[0]) for line in r)
    ),
    "The first (row|column|number|matrix|part) is right, and no other": lambda g, r, s: only(
        lines(g, r, s.split()[2]), 0
    ),
    "The last (row|column|number|matrix|part) is right, and no other": lambda g, r, s: only(
        lines(g, r, s.split()[2]), -1
    ),
    "The first \\d+ of the": lambda g, r, s: (
        first(lines(g, r, s.split()[6])) and counted(lines(g, r, s.split()[6]), s)
    ),
    "The last \\d+ of the": lambda g, r, s: (
        first(lines(g, r, s.split()[6])[::-1]) and counted(lines(g, r, s.split()[6]), s)
    ),
    "They are right up to some": lambda g, r, s: first(lines(g, r, s.split()[6].strip(","))),
    "They are wrong up to some": lambda g, r, s: first(lines(g, r, s.split()[6].strip(","))[::-1]),
    "\\d+ of the \\d+ (rows|columns|numbers|matrices|parts) (is|are) right": lambda g, r, s: (
        counted(lines(g, r, s.split()[4]), s)
    ),
    "Only the diagonal is wrong": lambda g, r, s: (
        close(np.where(np.eye(len(g)), r, g), r) or not (wrong(g, r) & (np.eye(len(g)) == 0)).any()
    ),
    "Numbers are wrong above": lambda g, r, s: not np.tril(wrong(g, r)).any(),
    "Numbers are wrong below": lambda g, r, s: not np.triu(wrong(g, r)).any(),
    "Those that should be negative": lambda g, r, s: (wrong(g, r) == (r < 0)).all(),
    "Those that should be positive": lambda g, r, s: (wrong(g, r) == (r > 0)).all(),
    "Each row is right but for a factor": lambda g, r, s: all(
        alike(ratios(a, b), np.abs(ratios(a, b)).max()) for a, b in zip(g, r, strict=True)
    ),
    "Each column is right but for a factor": lambda g, r, s: all(
        alike(ratios(a, b), np.abs(ratios(a, b)).max()) for a, b in zip(g.T, r.T, strict=True)
    ),
    "Each row is right but for an amount": lambda g, r, s: (
        close((g - r) - (g - r)[:, :1], 0 * g)
        or np.ptp(g - r, axis=1).max() <= 0.05 * np.abs(g - r).max()
    ),
    "Each column is right but for an amount": lambda g, r, s: (
        np.ptp(g - r, axis=0).max() <= 0.05 * np.abs(g - r).max()
    ),
    "Every number is too large": lambda g, r, s: bool((g > r).all()),
    "Every number is too small": lambda g, r, s: bool((g < r).all()),
    "Every number is further from zero": lambda g, r, s: bool((np.abs(g) > np.abs(r)).all()),
    "Every number is nearer to zero": lambda g, r, s: bool((np.abs(g) <= np.abs(r)).all()),
    "The larger of two is always": lambda g, r, s: (
        np.argsort(g, axis=None).tolist() == np.argsort(r, axis=None).tolist()
    ),
    "\\d+ of the \\d+ numbers are wrong": lambda g, r, s: counted(wrong(g, r).ravel(), s),
    "Fewer than half": lambda g, r, s: 0 < wrong(g, r).sum() < g.size / 2,
}
"""How each sentence begins, and an independent test of its claim."""


def rearranged(got: Array, right: Array) -> bool:
    """Return whether each line of one array is a line of the other, each used once."""
    left = list(right)
    for line in got:
        far = [np.abs(line - other).max() for other in left]
        if min(far) > 1e-3 * np.abs(right).max():
            return False
        left.pop(int(np.argmin(far)))
    return True


def lines_of(rng: np.random.Generator, shape: tuple[int, ...]) -> dict[str, Array]:
    """Return right numbers of every kind that is hard to describe."""
    normal = rng.normal(size=shape)
    return {
        "normal": normal,
        "whole": rng.integers(-1, 2, size=shape).astype(float),
        "zero": np.zeros(shape),
        "centred": normal - normal.mean(axis=-1, keepdims=True),
        "constant": np.full(shape, rng.normal()),
        "equal rows": np.broadcast_to(normal[:1], shape),
        "tiny": 1e-9 * normal,
        "small": 1e-5 * normal,
        "huge": 1e9 * normal,
        "mixed": normal * 10.0 ** rng.integers(-6, 7, size=shape),
        "shares": rng.dirichlet(np.ones(shape[-1]), size=shape[:-1]),
        "one large": np.where(np.arange(np.prod(shape)).reshape(shape) == 0, 1e4, 1e-3 * normal),
    }


POWERS = [np.square, np.exp, np.log, np.reciprocal, lambda x: np.sqrt(np.abs(x))]
WAYS: dict[str, Callable[[Array, np.random.Generator], Array]] = {
    "nothing": lambda r, rng: 0 * r,
    "a sign": lambda r, rng: -r,
    "a factor": lambda r, rng: rng.choice([1e-9, 0.5, 1.001, 3.0]) * r,
    "an amount": lambda r, rng: r + rng.choice([1e-9, 1e-4, 3e-4, 1.0, 1e6]),
    "noise": lambda r, rng: r + rng.choice([1e-9, 2e-4, 1e-2, 1.0]) * rng.normal(size=r.shape),
    "a relative error": lambda r, rng: (
        r * (1 + rng.choice([2e-4, 1e-2]) * rng.normal(size=r.shape))
    ),
    "turned": lambda r, rng: r.T.reshape(r.shape),
    "axes": lambda r, rng: (
        r.transpose(rng.permutation(r.ndim)) if len(set(r.shape)) == 1 else r.T.reshape(r.shape)
    ),
    "an order": lambda r, rng: rng.permutation(r, axis=rng.integers(r.ndim)),
    "places": lambda r, rng: rng.permutation(r.ravel()).reshape(r.shape),
    "a shift": lambda r, rng: np.roll(r, rng.choice([-1, 1]), axis=0),
    "backwards": lambda r, rng: r[::-1],
    "sizes": lambda r, rng: np.abs(r),
    "a power": lambda r, rng: np.asarray(POWERS[rng.integers(len(POWERS))](r)),
    "some lines": lambda r, rng: (
        r * np.where(rng.random(r.shape[:1]) < 0.5, 1, 3.0).reshape(-1, *[1] * (r.ndim - 1))
    ),
    "a prefix": lambda r, rng: (
        r
        + 1.0 * (np.arange(len(r)) >= rng.integers(1, len(r) + 1)).reshape(-1, *[1] * (r.ndim - 1))
    ),
    "a suffix": lambda r, rng: (
        r + 1.0 * (np.arange(len(r)) < rng.integers(len(r))).reshape(-1, *[1] * (r.ndim - 1))
    ),
    "columns": lambda r, rng: r + 1.0 * (np.arange(r.shape[-1]) >= rng.integers(r.shape[-1])),
    "row factors": lambda r, rng: r * rng.uniform(0.5, 3, size=(*r.shape[:-1], 1)),
    "row amounts": lambda r, rng: r + rng.normal(size=(*r.shape[:-1], 1)),
    "negatives cut off": lambda r, rng: np.maximum(r, 0),
    "one row": lambda r, rng: np.broadcast_to(r[:1], r.shape),
    "half a matrix": lambda r, rng: [np.tril, np.triu][rng.integers(2)](r) if r.ndim == 2 else r,
    "a diagonal": lambda r, rng: r + np.eye(*r.shape) if r.ndim == 2 else r,
    "other numbers": lambda r, rng: rng.normal(size=r.shape),
    "the right ones": lambda r, rng: r,
}


def claimed(way: str, right: Array, rng: np.random.Generator) -> list[str]:
    """Return the beginnings of the sentences; each must be true."""
    begun = []
    with np.errstate(all="ignore"):
        got = np.asarray(WAYS[way](right, rng))
        for sentence in relations(got, right, tolerance=1e-4):
            claims = [begin for begin in CLAIMS if re.match(begin, sentence)]
            assert len(claims) == 1, sentence
            assert CLAIMS[claims[0]](got, right, sentence), (sentence, got, right)
            begun += claims
    assert not begun or wrong(got, right).any()
    return begun


SHAPES = (
    (1,),
    (2,),
    (5,),
    (1, 1),
    (1, 4),
    (4, 1),
    (3, 4),
    (4, 4),
    (2, 3, 4),
    (3, 3, 3),
    (2, 1, 2, 2),
)


@pytest.mark.fuzzed
@given(st.integers(0, 10**9), st.sampled_from(SHAPES), st.sampled_from(list(WAYS)))
@settings(FUZZ, max_examples=count(full=20_000, slice=300))
def test_what_is_claimed_is_true(seed: int, shape: tuple[int, ...], way: str) -> None:
    """Each sentence, not only the first, is verified independently (slice: 300)."""
    rng = np.random.default_rng(seed)
    for right in lines_of(rng, shape).values():
        claimed(way, right, rng)


def test_every_claim_is_made_of_something() -> None:
    """No claim fits by accident: these are the numbers of the test above, without chance."""
    rng, seen = np.random.default_rng(0), set()
    for way, shape in itertools.product([*WAYS, "a power", "half a matrix"], SHAPES):
        for right in lines_of(rng, shape).values():
            seen |= {*claimed(way, right, rng)}
    assert seen == CLAIMS.keys()


@pytest.mark.parametrize(
    "got", [np.array([np.nan, 1.0]), np.array([1.0, np.inf]), np.ones(1), np.ones((0, 3))]
)
def test_nothing_is_said_of_what_is_no_number_or_alone(got: Array) -> None:
    """This covers NaN, infinity, a single number and an empty axis."""
    assert relations(got, np.full_like(got, 3.0), tolerance=1e-4) == ()


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
    """Equal numbers, or a single one, would reveal a right number."""
    assert distance(got, RIGHT, wrong=got != RIGHT) == ""


def test_a_distance_is_said_of_several_numbers() -> None:
    """It has two digits, if the returned numbers vary as much as the error."""
    assert distance(1.1 * RIGHT, RIGHT, wrong=np.ones((4, 4), bool)) == "0.23"
