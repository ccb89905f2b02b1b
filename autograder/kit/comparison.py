"""Common features of wrong numbers, without giving the right ones away.

Each sentence is a fact about all compared numbers. It appears only if it is no accident: several of
the numbers differ, and a coarser answer would not fit as well.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from autograder.records.questions import Array
from autograder.records.values import agree, differing

SEVERAL = 5
"""The least number of values that rounding must explain to be named as the cause."""
KINDS = 3
"""The least number of different values among them: zeros and ones also have other causes."""
HUGE = 1e3
"""A multiple of the largest right number: beyond this, an error's size means nothing."""
HALF_BITS = 8, 11
"""Binary digits of a bfloat16, and of a float16."""
DECIMALS = 6
HALF = 0.5 + 1e-9
"""How far rounding moves a number, in units of the last digit, plus float64's own error."""
LITTLE = 0.02
"""The share of the largest error that a relation may leave unexplained."""
SMALL = 1e-3
"""Numbers below this share of the largest one reveal nothing about factors or sums."""
MOST_AXES = 4

ZERO = "All of them are zero."
SIGN = "Every one has the wrong sign and the right size."
FACTOR = "All are off by the same factor."
AMOUNT = "All are off by the same amount."
FUNCTIONS: tuple[tuple[str, Callable[[Array], Array]], ...] = (
    ("square", np.square),
    ("square root", np.sqrt),
    ("exponential", np.exp),
    ("logarithm", np.log),
    ("reciprocal", np.reciprocal),
)
LARGER, SMALLER = "Every number is too large.", "Every number is too small."


@np.errstate(all="ignore")
def relations(got: Array, right: Array, *, tolerance: float) -> tuple[str, ...]:
    """Return sentences on how wrong numbers of the right shape relate to the right ones.

    The most informative comes first. No sentence contains a number of either array, or a factor
    between them, except counts and places.

    Args:
        got: The returned array.
        right: The reference's, of the same shape.
        tolerance: Absolute, and relative to the right value.
    """
    pair = _Pair(np.asarray(got, float), np.asarray(right, float), tolerance)
    if not pair.tells:
        return ()
    if not np.any(got):
        return (ZERO,)
    found = (_as_a_whole, _moved, _by_sum, _by_place, _by_line, _by_size)
    return tuple(itertools.chain.from_iterable(sentences(pair) for sentences in found))


@dataclass(frozen=True)
class _Pair:
    got: Array
    right: Array
    tolerance: float

    @property
    def tells(self) -> bool:
        """Return whether a comparison is meaningful: several finite numbers, some of them wrong."""
        several = self.got.size > 1 and bool(np.any(self.right))
        return several and bool(np.isfinite(self.got).all() and self.wrong.any())

    @cached_property
    def wrong(self) -> Array:
        return np.asarray(differing(self.got, self.right, self.tolerance))

    @cached_property
    def error(self) -> float:
        return float(np.abs(self.got - self.right).max())

    def explains(self, one: Array, other: Array) -> bool:
        """Return whether two arrays are equal, even when compared at the scale of `got - right`."""
        if one.shape != other.shape or not np.isfinite(other).all():
            return False
        # All small numbers look equal if differences are compared with 1.
        size = min(1.0, float(np.abs(other).max(initial=0.0))) + np.abs(other)
        return agree(one, other, self.tolerance, size) and agree(one, other, LITTLE, self.error)


def _as_a_whole(pair: _Pair) -> Iterator[str]:
    """Yield a sentence if one operation on all numbers explains the error."""
    got, right = pair.got, pair.right
    wrong_sign = pair.explains(-got, right)
    if wrong_sign:
        yield SIGN
    if factor(got, right, pair.tolerance) is not None:
        yield FACTOR
    if got.ndim == 2 and pair.explains(got.T, right):
        yield "It is the transpose of what it should be."
    if 2 < got.ndim <= MOST_AXES and any(
        pair.explains(got.transpose(axes), right)
        for axes in itertools.permutations(range(got.ndim))
    ):
        yield "It is right but for the order of its axes."
    if pair.explains(got - (got - right).mean(), right):
        yield AMOUNT
    if not wrong_sign and pair.explains(np.abs(got), np.abs(right)):
        yield "The sizes are right, and some signs are not."
    for name, function in FUNCTIONS:
        if pair.explains(got, function(right)):
            yield f"Each is the {name} of what it should be."


@np.errstate(all="ignore")
def factor(got: Array, right: Array, tolerance: float) -> float | None:
    """Return the factor by which all numbers are off; None if there is none, or it is 1."""
    pair = _Pair(np.asarray(got, float), np.asarray(right, float), tolerance)
    if not pair.tells or _telling(pair.right).sum() < 2:
        return None
    found = float((pair.got * pair.right).sum() / (pair.right * pair.right).sum())
    return found if found and pair.explains(pair.got, found * pair.right) else None


def _moved(pair: _Pair) -> Iterator[str]:
    """Yield the place where the right numbers are instead."""
    got, right, noun = pair.got, pair.right, _noun(pair.got)
    if pair.explains(got[::-1], right):
        yield f"The right {noun.many} are there, in the reverse order."
    if len(got) > 2 and pair.explains(got[1:], right[:-1]):
        yield f"Each {noun.one} but the first is the one that belongs before it."
    if len(got) > 2 and pair.explains(got[:-1], right[1:]):
        yield f"Each {noun.one} but the last is the one that belongs after it."
    if got.ndim == 2 and len(got) > 1 and not _right_lines(pair, 0).any():
        if pair.explains(_sorted_rows(got), _sorted_rows(right)):
            yield "The rows are right, but in a different order."
        if pair.explains(_sorted_rows(got.T), _sorted_rows(right.T)):
            yield "The columns are right, but in a different order."
    if got.size > 2 and pair.explains(np.sort(got, axis=None), np.sort(right, axis=None)):
        yield "The right numbers are there, in other places."


def _by_place(pair: _Pair) -> Iterator[str]:
    """Yield which rows, columns or sides of the diagonal are right."""
    if pair.got.ndim == 2 and pair.got.shape[0] == pair.got.shape[1] > 1:
        yield from _by_diagonal(pair.wrong)
    rows = _right_lines(pair, 0)
    yield from _of_lines(rows, _noun(pair.got))
    if pair.got.ndim == 2 and not rows.any():
        yield from _of_lines(_right_lines(pair, 1), _Noun("column", "columns"))
    for sign, wanted in (("negative", pair.right < 0), ("positive", pair.right > 0)):
        if KINDS <= wanted.sum() < wanted.size and np.array_equal(pair.wrong, wanted):
            yield f"Those that should be {sign} are wrong, and no others."


@dataclass(frozen=True)
class _Noun:
    one: str
    many: str


def _noun(array: Array) -> _Noun:
    """Return the name for the parts of an array along its first axis."""
    names = _Noun("number", "numbers"), _Noun("row", "rows"), _Noun("matrix", "matrices")
    return (*names, _Noun("part", "parts"))[min(array.ndim, MOST_AXES) - 1]


def _right_lines(pair: _Pair, axis: int) -> Array:
    """Return which parts along an axis are entirely right, (n,)."""
    others = tuple(n for n in range(pair.got.ndim) if n != axis)
    return np.asarray(~pair.wrong.any(axis=others))


def _of_lines(right: Array, noun: _Noun) -> Iterator[str]:
    """Yield which of several lines are right, if some are."""
    number, total = int(right.sum()), len(right)
    if not 0 < number < total:
        return
    if right[:number].all():
        yield (
            f"The first {noun.one} is right, and no other." if number == 1
            else f"The first {number} of the {total} {noun.many} are right, and none after them."
        )  # fmt: skip
        yield f"They are right up to some {noun.one}, and wrong from there on."
    if right[-number:].all():
        yield (
            f"The last {noun.one} is right, and no other." if number == 1
            else f"The last {number} of the {total} {noun.many} are right, and none before them."
        )  # fmt: skip
        yield f"They are wrong up to some {noun.one}, and right from there on."
    yield f"{number} of the {total} {noun.many} {'is' if number == 1 else 'are'} right."


def _by_diagonal(wrong: Array) -> Iterator[str]:
    """Yield the side of a square matrix's diagonal where numbers are wrong."""
    diagonal = np.eye(len(wrong), dtype=bool)
    if not (wrong & ~diagonal).any():
        yield "Only the diagonal is wrong."
    elif not (wrong & diagonal).any():
        above, below = np.triu(wrong, 1).any(), np.tril(wrong, -1).any()
        if not (above and below):
            side, other = ("above", "below") if above else ("below", "above")
            yield f"Numbers are wrong {side} the diagonal only: on it and {other} it all are right."


def _by_line(pair: _Pair) -> Iterator[str]:
    """Yield a sentence if one operation on each row, or each column, explains the error."""
    if pair.got.ndim != 2:
        return
    for name, got, right in (("row", pair.got, pair.right), ("column", pair.got.T, pair.right.T)):
        if min(got.shape) < 2 or (_telling(right, axis=1).sum(axis=1) < 2).any():
            continue
        factors = (got * right).sum(axis=1) / (right * right).sum(axis=1)
        if factors.all() and pair.explains(got, factors[:, None] * right):
            yield f"Each {name} is right but for a factor."
        if pair.explains(got - (got - right).mean(axis=1, keepdims=True), right):
            yield f"Each {name} is right but for an amount that is added to it."


def _by_sum(pair: _Pair) -> Iterator[str]:
    """Yield a fault of the rows: wrong sums, or all rows equal."""
    got, right = pair.got, pair.right
    if len(got) < 2:
        return
    if got.ndim == 2:
        sums, own = right.sum(axis=1), got.sum(axis=1)
        # Sums near 0 are mostly rounding errors, so the allowed error depends on the rows' sizes.
        sizes = np.abs(right).sum(axis=1).max()
        allowed = max(SMALL, 10 * pair.tolerance) * sizes
        if np.ptp(sums) <= 1e-6 * sizes and (np.abs(own - sums) > allowed).all():
            yield "The rows do not sum to what they should."
    least = max(SMALL, 10 * pair.tolerance) * np.abs(right).max()
    if _spread(got) <= pair.tolerance * np.abs(got).max() and _spread(right) > least:
        yield f"All {_noun(got).many} are equal, and they should not be."


def _by_size(pair: _Pair) -> Iterator[str]:
    """Yield a relation of each number to the right one."""
    got, right = pair.got.ravel(), pair.right.ravel()
    if pair.wrong.all() and got.size >= SEVERAL:
        yield from [LARGER] * bool((got > right).all()) + [SMALLER] * bool((got < right).all())
        larger = np.abs(got) > np.abs(right)
        if (right < 0).any() and (right > 0).any() and (larger.all() or not larger.any()):
            yield f"Every number is {'further from' if larger.all() else 'nearer to'} zero than it should be."
    order = np.argsort(right)
    gaps = np.diff(right[order])
    if got.size >= SEVERAL and (gaps > pair.tolerance * np.abs(right).max()).all():
        if (np.diff(got[order]) > 0).all():
            yield "The larger of two is always the right one, but their sizes are not right."
    elif 0 < 2 * pair.wrong.sum() < got.size:
        yield f"{int(pair.wrong.sum())} of the {got.size} numbers are wrong."
        yield "Fewer than half of the numbers are wrong."


def _telling(numbers: Array, axis: int | None = None) -> Array:
    """Return which numbers are large enough, relative to the largest, to show a factor."""
    largest = np.abs(numbers).max(axis=axis, keepdims=True)
    return np.asarray((np.abs(numbers) > SMALL * largest) & (largest > 0))


@np.errstate(all="ignore")
def rounded(pairs: Sequence[tuple[Array, Array]], *, tolerance: float) -> str:
    """Return a sentence if rounding explains every number, or "".

    Args:
        pairs: The returned arrays and the reference's, of the same shape, for all cases.
        tolerance: Absolute, and relative to the right value.
    """
    if not pairs:
        return ""
    got, right = (np.concatenate([np.ravel(pair[side]) for pair in pairs]) for side in (0, 1))
    wrong = differing(got, right, tolerance)
    if wrong.sum() < SEVERAL or len(np.unique(got[wrong])) < KINDS or not np.isfinite(got).all():
        return ""
    # Rounded numbers may have been stored in single precision afterwards.
    stored = 2.0**-22 * float(np.abs(right).max())
    for digits in range(DECIMALS):
        if 10.0**-digits < 100 * stored:
            break
        grid = np.round(got, digits)
        on_grid = agree(got, grid, stored, 1.0)
        # Halfway between two values, the right answer's own error decides, so nothing is claimed.
        if on_grid and np.abs(grid - right).max() <= HALF * 10.0**-digits:
            to = "to whole ones" if digits == 0 else "after a few digits"
            return f"They are the right numbers, rounded {to}."
    errors = [float(np.abs(g - r).max() / np.abs(r).max()) for g, r in pairs]
    near = np.median(errors) < 2.0**-6 and max(errors) < 2.0**-3
    for bits in HALF_BITS if near else ():
        if _fits(got, bits).all():
            # Multiples of a quarter also fit, so only small numbers that need more digits count.
            small = wrong & (np.abs(got) < np.abs(got).max() / 8) & ~_fits(got, bits - 2)
            if (small & ~_fits(right, bits)).sum() >= KINDS:
                return (
                    "Each is a number of half precision near the right one: is something computed "
                    "in it?"
                )
            break
    return ""


@np.errstate(all="ignore")
def distance(got: Array, right: Array, *, wrong: Array) -> str:
    """Return how far off numbers are, in two digits; "" if that reveals a right one.

    For one number, or many equal ones, the distance from the student's number reveals the right
    one.

    Args:
        got: What came back.
        right: The reference's, of the same shape.
        wrong: Which of them are wrong, in the same shape.
    """
    if np.count_nonzero(wrong) < KINDS:
        return ""
    worst = float(np.abs(got - right).max())
    alike = not np.ptp(got) > worst / 10
    # An adapter may write a huge number instead of a missing one.
    huge = not worst < HUGE * float(np.abs(right).max())
    return "" if alike or huge else f"{worst:.2g}"


def _fits(numbers: Array, bits: int) -> Array:
    """Return which numbers fit into this many binary digits, (n,)."""
    fitting: Array = np.ldexp(np.frexp(numbers)[0], bits) % 1 == 0
    return fitting


def _spread(rows: Array) -> float:
    return float(np.ptp(rows, axis=0).max(initial=0.0))


def _sorted_rows(matrix: Array) -> Array:
    """Return the rows in an order that does not depend on their original one."""
    return np.asarray(matrix[np.lexsort(matrix.T[::-1].round(3))])
