"""Statistics of a class, each compared with an independent computation, on three classes."""

import itertools
import math
import statistics as standard

import numpy as np
import pytest

from autograder.records.questions import Array
from tests import fabricated_class

stats = pytest.importorskip("scipy.stats", reason="the extra `report` is not installed")

from autograder.staff.class_page import statistics  # noqa: E402

EIGHT = {f"q{n}": float(n + 1) for n in range(8)}
CLASSES = {
    "sound": fabricated_class.scores(200, points=EIGHT),
    "one question turned": fabricated_class.scores(60, points=EIGHT, turned="q3", seed=1),
    "right or wrong": fabricated_class.scores(35, points=EIGHT, parts=1, seed=2),
}


@pytest.fixture(params=CLASSES)
def scores(request: pytest.FixtureRequest) -> Array:
    return np.column_stack(list(CLASSES[request.param].values()))


def pearson(x: Array, y: Array) -> float:
    """Compute it from the definition, a sum of products."""
    dx, dy = x - x.mean(), y - y.mean()
    return float((dx * dy).sum() / math.sqrt((dx**2).sum() * (dy**2).sum()))


def item(scores: Array, place: int) -> statistics.ItemStatistics:
    others = np.delete(scores, place, axis=1)
    worth = list(EIGHT.values())[place]
    return statistics.item(scores[:, place], others.sum(axis=1), worth, others)


def test_item_rest_correlations(scores: Array) -> None:
    """They agree with the definition and with numpy."""
    for place in range(scores.shape[1]):
        rest = scores.sum(axis=1) - scores[:, place]
        found = item(scores, place).correlation
        assert found == pytest.approx(pearson(scores[:, place], rest))
        assert found == pytest.approx(np.corrcoef(scores[:, place], rest)[0, 1])


def test_shares_and_means(scores: Array) -> None:
    """Counting one by one gives the same."""
    for place, worth in enumerate(EIGHT.values()):
        found = item(scores, place)
        column = scores[:, place].tolist()
        assert found.count == len(column)
        assert found.mean == pytest.approx(standard.mean(column))
        assert found.full == column.count(worth)
        assert found.zero == column.count(0.0)
        assert found.part == sum(0 < points < worth for points in column)


def test_alpha(scores: Array) -> None:
    """It equals the mean covariance over the mean of all variances and covariances."""
    matrix = np.cov(scores, rowvar=False)
    k = len(matrix)
    between = matrix[~np.eye(k, dtype=bool)].mean()
    assert statistics.alpha(scores) == pytest.approx(k**2 * between / matrix.sum())
    for place in range(k):
        others = np.delete(scores, place, axis=1)
        assert item(scores, place).alpha_without == statistics.alpha(others)


@pytest.mark.parametrize(("questions", "r"), list(itertools.product((2, 5, 10), (0.0, 0.3, 0.8))))
def test_alpha_of_parallel_questions_is_the_spearman_brown_formula(
    questions: int, r: float
) -> None:
    """K r / (1 + (k - 1) r), for questions with equal variances and correlations r."""
    noise = np.random.default_rng(0).normal(size=(100, questions))
    centred = noise - noise.mean(axis=0)
    orthogonal, _ = np.linalg.qr(centred)
    wanted = np.full((questions, questions), r) + (1 - r) * np.eye(questions)
    scores = orthogonal @ np.linalg.cholesky(wanted).T
    assert statistics.alpha(scores) == pytest.approx(questions * r / (1 + (questions - 1) * r))


def test_totals(scores: Array) -> None:
    """They agree with Python's own module."""
    totals = scores.sum(axis=1)
    found = statistics.whole(totals, scores)
    assert found.count == len(scores)
    assert found.mean == pytest.approx(standard.mean(totals))
    assert found.deviation == pytest.approx(standard.stdev(totals))
    assert found.quartiles == pytest.approx(standard.quantiles(totals, method="inclusive"))


def test_intervals_are_near_fisher_s(scores: Array) -> None:
    """tanh(artanh r +- 1.96 / sqrt(n - 3)), which holds for normal numbers: ends within 0.12."""
    for place in range(scores.shape[1]):
        found = item(scores, place)
        assert found.interval is not None
        assert found.correlation is not None
        half = 1.96 / math.sqrt(len(scores) - 3)
        fisher = [math.tanh(math.atanh(found.correlation) + end) for end in (-half, half)]
        assert found.interval == pytest.approx(fisher, abs=0.12)
        assert found.interval[0] < found.correlation < found.interval[1]


def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Of 100 classes of 60 with a known correlation, 88 to 100 intervals have it."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(100):
        x = rng.normal(size=60)
        y = 0.6 * x + 0.8 * rng.normal(size=60)
        low, high = statistics.interval(x, y) or (2, 2)
        hits += low <= 0.6 <= high
    assert 88 <= hits <= 100


def test_curves(scores: Array) -> None:
    """They agree with ranks counted one submission after another."""
    for place, worth in enumerate(EIGHT.values()):
        rest = (scores.sum(axis=1) - scores[:, place]).tolist()
        shares: list[list[float]] = [[] for _ in range(5)]
        for mine, points in zip(rest, scores[:, place], strict=True):
            below, equal = sum(r < mine for r in rest), sum(r == mine for r in rest)
            rank = below + (equal + 1) / 2
            shares[min(4, int(5 * (rank - 0.5) / len(rest)))].append(points / worth)
        expected = [sum(fifth) / len(fifth) if fifth else None for fifth in shares]
        assert list(item(scores, place).curve) == pytest.approx(expected)


def test_bins_are_counted() -> None:
    """Totals above the maximum are in the last, those below zero in the first."""
    assert statistics.bins([-1, 0, 0.9, 1, 5, 9.99, 10, 14], 10) == [3, 1, 0, 0, 0, 1, 0, 0, 0, 3]
    assert statistics.bins([0.3], 1.0) == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert sum(statistics.bins([0.0], 0)) == 1


@pytest.mark.parametrize("people", [0, 1, 2, 4])
def test_few_submissions_have_no_correlation(people: int) -> None:
    """Nothing fails, either."""
    scores = np.arange(3.0 * people).reshape(people, 3)
    found = statistics.item(scores[:, 0], scores[:, 1:].sum(axis=1), 9, scores[:, 1:])
    assert (found.correlation, found.interval, found.curve, found.alpha_without) == (
        None,
        None,
        (),
        None,
    )
    assert found.count == people
    assert statistics.whole(scores.sum(axis=1), scores).count == people


def test_equal_points_have_no_correlation() -> None:
    """Everybody has full marks: nothing is defined, and nothing warns."""
    scores = np.ones((40, 3))
    found = statistics.item(scores[:, 0], scores[:, 1:].sum(axis=1), 1, scores[:, 1:])
    assert found.correlation is found.interval is found.alpha_without is None
    assert found.full == 40


def test_one_who_differs_leaves_no_interval() -> None:
    """In a third of all resamples, points are equal everywhere: an interval would be fiction."""
    points = np.array([1.0] * 19 + [0.0])
    assert statistics.correlation(points, np.arange(20.0)) is not None
    assert statistics.interval(points, np.arange(20.0)) is None


def test_marks_that_wait_are_left_out() -> None:
    """Open marks of a question are not zeros."""
    scores = fabricated_class.scores(50, points=EIGHT)["q1"]
    rest = np.arange(50.0)
    some = scores.copy()
    some[::2] = np.nan
    expected = statistics.item(scores[1::2], rest[1::2], 2, np.zeros((25, 0)))
    assert statistics.item(some, rest, 2, np.zeros((25, 0))) == expected
