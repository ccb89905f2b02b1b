"""What wrong numbers have in common, without giving the right ones away.

Each sentence is a fact about all numbers that were compared, and is told only where that is
no accident: where several of them differ, and a coarser answer would not fit as well.
"""

from collections.abc import Sequence

import numpy as np

from autograder.model import Array

SEVERAL = 5
"""Numbers that rounding has to explain before it is taken for the cause."""
KINDS = 3
"""Different numbers among them: zeros and ones come from elsewhere, too."""
HUGE = 1e3
"""Times the largest right number: how far off something is tells nothing then."""
HALF_BITS = 8, 11
"""Binary digits of a bfloat16, and of a float16."""
DECIMALS = 6
HALF = 0.5 + 1e-9
"""Of the last digit: how far rounding moves a number, and float64's own error."""


@np.errstate(all="ignore")
def relation(got: Array, right: Array, *, tolerance: float) -> str:
    """Return one sentence on how numbers of the right shape relate to the right ones, or "".

    The simplest relation that holds everywhere is named. No number of either
    array, and no factor between them, is in the sentence.

    Args:
        got: What came back.
        right: The reference's, of the same shape.
        tolerance: Absolute, and relative to the right value.
    """

    def same(a: Array, b: Array) -> bool:
        # Small numbers are all the same where differences are compared with 1.
        size = min(1.0, float(np.abs(b).max(initial=0.0)))
        return a.shape == b.shape and bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * size))

    if not np.any(right) or got.size < 2 or not np.isfinite(got).all():
        return ""
    if not np.any(got):
        return "All of them are zero."
    if same(-got, right):
        return "Every one has the wrong sign and the right size."
    factor = float((got * right).sum() / (right * right).sum())
    if np.count_nonzero(right) > 1 and factor and same(got, factor * right):
        return "All are off by the same factor."
    if got.ndim == 2 and same(got.T, right):
        return "It is the transpose of what it should be."
    if same(got - (got - right).mean(), right):
        return "All are off by the same amount."
    kind = "row" if got.ndim > 1 else "number"
    rows = np.array(
        [np.allclose(a, b, rtol=tolerance, atol=tolerance) for a, b in zip(got, right, strict=True)]
    )
    if rows[0] and not rows[1:].any() and len(rows) > 1:
        return f"The first {kind} is right, and no other."
    if rows.any():
        return f"{rows.sum()} of the {len(rows)} {kind}s are right."
    if got.ndim == 2 and len(got) > 1:
        if same(_sorted_rows(got), _sorted_rows(right)):
            return "The right rows are there, in another order."
        if same(_sorted_rows(got.T), _sorted_rows(right.T)):
            return "The right columns are there, in another order."
        sums, own = right.sum(axis=1), got.sum(axis=1)
        if np.allclose(sums, sums[0]) and (np.abs(own - sums) > 1e-3 * np.abs(sums)).all():
            return "The rows do not sum to what they should."
        if _spread(got) < tolerance * np.abs(got).max() and _spread(right) > tolerance:
            return "All rows are equal, and they should not be."
    return ""


@np.errstate(all="ignore")
def rounded(pairs: Sequence[tuple[Array, Array]], *, tolerance: float) -> str:
    """Return a sentence where rounding explains every number, or "".

    Args:
        pairs: What came back and the reference's, of the same shape, for all cases.
        tolerance: Absolute, and relative to the right value.
    """
    if not pairs:
        return ""
    got, right = (np.concatenate([np.ravel(pair[side]) for pair in pairs]) for side in (0, 1))
    wrong = ~np.isclose(got, right, rtol=tolerance, atol=tolerance)
    if wrong.sum() < SEVERAL or len(np.unique(got[wrong])) < KINDS or not np.isfinite(got).all():
        return ""
    # Rounded numbers may have been stored in single precision afterwards.
    stored = 2.0**-22 * float(np.abs(right).max())
    for digits in range(DECIMALS):
        if 10.0**-digits < 100 * stored:
            break
        grid = np.round(got, digits)
        on_grid = np.allclose(got, grid, rtol=0, atol=stored)
        # Half-way between two, a right answer's own error decides, and nothing is claimed.
        if on_grid and np.abs(grid - right).max() <= HALF * 10.0**-digits:
            to = "to whole ones" if digits == 0 else "after a few digits"
            return f"They are the right numbers, rounded {to}."
    errors = [float(np.abs(g - r).max() / np.abs(r).max()) for g, r in pairs]
    near = np.median(errors) < 2.0**-6 and max(errors) < 2.0**-3
    for bits in HALF_BITS if near else ():
        if _fits(got[wrong], bits).all():
            # Multiples of a quarter, and the like, fit as well; but small ones have few digits then.
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
    """Return by how much numbers are off, in two digits; "" where that gives a right one away.

    Of one number, or of many that are alike, it is the right one's distance from a number that
    the student knows.

    Args:
        got: What came back.
        right: The reference's, of the same shape.
        wrong: Which of them are wrong, of the same shape.
    """
    if np.count_nonzero(wrong) < KINDS:
        return ""
    worst = float(np.abs(got - right).max())
    alike = not np.ptp(got) > worst / 10
    # An adapter may write a huge number for what is none.
    huge = not worst < HUGE * float(np.abs(right).max())
    return "" if alike or huge else f"{worst:.2g}"


def _fits(numbers: Array, bits: int) -> Array:
    """Return which numbers have so few binary digits, (n,)."""
    fitting: Array = np.ldexp(np.frexp(numbers)[0], bits) % 1 == 0
    return fitting


def _spread(rows: Array) -> float:
    return float(np.ptp(rows, axis=0).max(initial=0.0))


def _sorted_rows(matrix: Array) -> Array:
    """Return the rows in an order that does not depend on the one they came in."""
    return np.asarray(matrix[np.lexsort(matrix.T[::-1].round(3))])
