"""What can be said of wrong numbers without saying the right ones."""

from collections.abc import Sequence

import numpy as np

from autograder.model import Array


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
        return a.shape == b.shape and bool(np.allclose(a, b, rtol=tolerance, atol=tolerance))

    if not np.any(right) or got.size < 2:
        return ""
    if not np.any(got):
        return "All of them are zero."
    if same(-got, right):
        return "Every one has the wrong sign and the right size."
    factor = float((got * right).sum() / (right * right).sum())
    if same(got, factor * right):
        return "All are off by the same factor."
    if got.ndim == 2 and same(got.T, right):
        return "It is the transpose of what it should be."
    if same(got - (got - right).mean(), right):
        return "All are off by the same amount."
    kind = "row" if got.ndim > 1 else "number"
    rows = np.array([same(a, b) for a, b in zip(got, right, strict=True)])
    if rows[0] and not rows[1:].any() and len(rows) > 1:
        return f"The first {kind} is right, and no other."
    if rows.any():
        return f"{rows.sum()} of the {len(rows)} {kind}s are right."
    if got.ndim == 2 and len(got) > 1:
        if same(_sorted_rows(got), _sorted_rows(right)):
            return "The right rows are there, in another order."
        if same(_sorted_rows(got.T), _sorted_rows(right.T)):
            return "The right columns are there, in another order."
        sums = right.sum(axis=1)
        if np.allclose(sums, sums[0]) and not np.allclose(got.sum(axis=1), sums[0], atol=1e-3):
            return "The rows do not sum to what they should."
        if np.ptp(got, axis=0).max() < tolerance:
            return "All rows are equal, and they should not be."
    return ""


@np.errstate(all="ignore")
def few_digits(pairs: Sequence[tuple[Array, Array]]) -> str:
    """Return a sentence where numbers agree as far as a coarser number format would, or "".

    Rounding in bfloat16 (8 bits) or float16 (11 bits) leaves errors of a few times 2**-8
    or 2**-11 of the largest number; float32 ones of 2**-24. Where large numbers cancel, as in
    gradients through a softmax, a few errors are several times as large.

    Args:
        pairs: What came back and the reference's, of the same shape, for all cases.
    """
    if not pairs:
        return ""
    largest = max(float(np.abs(got - right).max()) for got, right in pairs)
    if largest <= 0.5 + 1e-3 and all(np.array_equal(got, np.round(got)) for got, _ in pairs):
        return "They are whole numbers near the right ones: something rounds them."
    errors = [float(np.abs(got - right).max() / np.abs(right).max()) for got, right in pairs]
    if np.median(errors) < 2.0**-6 and max(errors) < 2.0**-3:
        return (
            "They agree in the first digits only: is something rounded, or computed in half "
            "precision?"
        )
    return ""


def _sorted_rows(matrix: Array) -> Array:
    """Return the rows in an order that does not depend on the one they came in."""
    return np.asarray(matrix[np.lexsort(matrix.T[::-1].round(3))])
