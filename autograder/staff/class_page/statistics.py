"""Points of a class -> figures of each question and of the whole, with their uncertainty.

Formulas come from scipy where possible; intervals come from a bootstrap with a fixed seed, so the
same marks give the same page.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from autograder.records.questions import Array

RESAMPLES = 999
FEWEST = 5
"""The number of submissions that a correlation needs to be shown."""
FEW = 30
"""With fewer submissions than this, the page calls the figures uncertain."""
FIFTHS = 5
_BATCH = 25  # resamples at a time, to limit memory


@dataclass(frozen=True)
class ItemStatistics:
    """Figures of one question. A figure that is not defined is None.

    Args:
        correlation: Between the points and those of all other questions: the item-rest correlation.
        interval: The correlation's 95 % interval, by bootstrap.
        curve: Mean share of the points in each fifth of the class, ranked by the other questions' points, lowest first; None for an empty fifth.
        alpha_without: Cronbach's alpha of the other questions.

    """

    count: int
    mean: float | None
    full: int
    part: int
    zero: int
    correlation: float | None = None
    interval: tuple[float, float] | None = None
    curve: tuple[float | None, ...] = ()
    alpha_without: float | None = None


@dataclass(frozen=True)
class Whole:
    """Figures of the totals, in points.

    Args:
        deviation: Standard deviation, with n - 1 in the denominator.
        quartiles: Lower quartile, median, upper quartile.
        alpha: Cronbach's alpha; None if undefined.

    """

    count: int
    mean: float | None
    deviation: float | None
    quartiles: tuple[float, float, float] | None
    alpha: float | None


def whole(totals: Array, scores: Array) -> Whole:
    """Return figures of the totals.

    Args:
        totals: Points, (submissions,).
        scores: Points of the questions behind alpha, (submissions, questions), none missing.

    """
    count = len(totals)
    if not count:
        return Whole(0, None, None, None, None)
    low, middle, high = np.percentile(totals, [25, 50, 75])
    deviation = float(totals.std(ddof=1)) if count > 1 else None
    return Whole(
        count,
        float(totals.mean()),
        deviation,
        (float(low), float(middle), float(high)),
        alpha(scores),
    )


def alpha(scores: Array) -> float | None:
    """Return Cronbach's alpha, k / (k - 1) (1 - sum of variances / variance of totals).

    It is defined in Psychometrika 16, 1951.

    None for fewer than two questions or FEWEST submissions, or if all totals are equal.

    Args:
        scores: Points, (submissions, questions), none missing.

    """
    count, questions = scores.shape
    if count < FEWEST or questions < 2:
        return None
    total = float(scores.sum(axis=1).var(ddof=1))
    if total <= 1e-12:
        return None
    return float(questions / (questions - 1) * (1 - scores.var(axis=0, ddof=1).sum() / total))


def item(points: Array, rest: Array, worth: float, others: Array) -> ItemStatistics:
    """Return figures of one question.

    Args:
        points: The points of each submission, (submissions,); NaN if not marked yet.
        rest: Points of all other compared questions, (submissions,).
        worth: The possible points.
        others: Points of the other questions behind alpha, (submissions, questions).

    """
    marked = np.isfinite(points)
    got, rest = points[marked], rest[marked]
    full, zero = int((got >= worth - 1e-9).sum()), int((got <= 1e-9).sum())
    if worth <= 0:
        full, zero = 0, len(got)
    r = correlation(got, rest)
    return ItemStatistics(
        count=len(got),
        mean=float(got.mean()) if len(got) else None,
        full=full,
        part=len(got) - full - zero,
        zero=zero,
        correlation=r,
        interval=None if r is None else interval(got, rest),
        curve=curve(got, rest, worth),
        alpha_without=alpha(others),
    )


def correlation(points: Array, rest: Array) -> float | None:
    """Return Pearson's correlation; None for few submissions, or if all points are equal."""
    if len(points) < FEWEST or np.ptp(points) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    return float(stats.pearsonr(points, rest).statistic)


def interval(points: Array, rest: Array) -> tuple[float, float] | None:
    """Return the 95 % interval of a correlation, by percentiles of a bootstrap over submissions.

    None if too many resamples have equal points everywhere.
    """

    def r(x: Array, y: Array, axis: int) -> Any:
        # Like stats.pearsonr, but without its p-value, which would take most of the time.
        dx, dy = (one - one.mean(axis=axis, keepdims=True) for one in (x, y))
        lengths = np.sqrt((dx * dx).sum(axis=axis) * (dy * dy).sum(axis=axis))
        with np.errstate(all="ignore"):
            return np.where(lengths > 1e-9, (dx * dy).sum(axis=axis) / lengths, np.nan)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a resample may have equal points everywhere
        found = stats.bootstrap(
            (points, rest),
            r,
            paired=True,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=_BATCH,
            method="percentile",
            rng=np.random.default_rng(0),
        )
    sample = found.bootstrap_distribution[np.isfinite(found.bootstrap_distribution)]
    if len(sample) < 0.9 * RESAMPLES:
        return None
    low, high = np.percentile(sample, [2.5, 97.5])
    return float(low), float(high)


def curve(points: Array, rest: Array, worth: float) -> tuple[float | None, ...]:
    """Return the mean share of the points in each fifth of the class, the lowest fifth first.

    Submissions with equal points elsewhere are in one fifth. Empty if a fifth would have fewer than
    5.
    """
    if len(points) < FIFTHS * FEWEST or worth <= 0:
        return ()
    ranks = (stats.rankdata(rest) - 0.5) / len(rest)
    fifths = np.minimum((ranks * FIFTHS).astype(int), FIFTHS - 1)
    return tuple(
        float(points[fifths == n].mean() / worth) if (fifths == n).any() else None
        for n in range(FIFTHS)
    )


def bins(totals: Sequence[float], possible: float, number: int = 10) -> list[int]:
    """Count the totals in equal parts of the possible points; larger totals count in the last."""
    if possible <= 0:
        return [len(totals), *[0] * (number - 1)]
    places = np.clip(
        (np.array(totals, dtype=float) / possible * number + 1e-9).astype(int), 0, number - 1
    )
    return [int((places == n).sum()) for n in range(number)]
