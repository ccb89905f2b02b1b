"""digests: equal wrong answers are recognised, and different ones are kept apart."""

from typing import Any

import numpy as np
import pytest

from autograder.records.codec import dumps
from autograder.records.digests import alike, digest
from autograder.records.facts import Outcome
from autograder.records.questions import RESULT


def of(*values: Any) -> list[Any]:
    """Return the digests of an answer with these values, one per case."""
    return [digest(Outcome("q", n, "returned", {RESULT: v})) for n, v in enumerate(values)]


def raised(error: str) -> list[Any]:
    return [digest(Outcome("q", 0, "raised", error=error))]


@pytest.mark.parametrize("size", [1, 7, 400])
def test_rounding_makes_no_difference(size: int) -> None:
    """This covers single precision and reordered sums, on 50 draws each."""
    for seed in range(50):
        exact = np.random.default_rng(seed).normal(size=size)
        single = exact.astype(np.float32) * np.float32(1 + 3e-6)
        assert alike(of(exact), of(single.astype(float))), seed


@pytest.mark.parametrize("size", [1, 7, 400])
def test_another_mistake_is_another_one(size: int) -> None:
    """This holds even if only one number differs."""
    for seed in range(50):
        one = np.random.default_rng(seed).normal(size=size)
        other = one.copy()
        other[-1] += 0.5
        assert not alike(of(one), of(other)), seed


def test_the_form_has_to_be_the_same() -> None:
    """This covers shapes, kinds of numbers, integers, texts and lists."""
    kinds = [
        np.ones((2, 3)),
        np.ones((3, 2)),
        np.ones(6),
        np.ones(6, dtype=int),
        100_000,
        100_001,
        "one",
        "two",
        None,
        True,
        [1.5, 2],
        [1.5, 3],
        [1.5, "2"],
        (1.5, 2),
        {"a": 1.5},
        {"b": 1.5},
    ]
    for i, one in enumerate(kinds):
        for j, other in enumerate(kinds):
            assert alike(of(one), of(other)) == (i == j), (one, other)


def test_a_list_of_numbers_may_differ_by_rounding() -> None:
    """A list is treated like an array."""
    assert alike(of([0.1 + 0.2, {"a": 1e9}]), of([0.3, {"a": 1e9 + 1}]))
    assert not alike(of([0.1 + 0.2]), of([0.31]))


def test_every_case_counts() -> None:
    """An answer that is wrong in a special case differs only there."""
    assert not alike(of(1.0, 2.0), of(1.0, 3.0))
    assert not alike(of(1.0), of(1.0, 2.0))


def test_complaints_are_compared_without_the_student_s_own_line() -> None:
    """The line differs between students who make the same mistake."""
    assert alike(raised("ValueError: no\n(line 3: x)"), raised("ValueError: no\n(line 9: y)"))
    assert not alike(raised("ValueError: no"), raised("ValueError: yes"))
    assert not alike(raised("ValueError: no"), [digest(Outcome("q", 0, "refused", error="x"))])


@pytest.mark.parametrize("size", [1e308, 1e-300, 0.0])
def test_numbers_of_any_size_can_be_written(size: float) -> None:
    """This includes the largest possible ones."""
    (one,) = of(np.full(1000, size))
    assert dumps(list(one.numbers))
    assert alike([one], of(np.full(1000, size)))
    assert not alike([one], of(np.full(1000, 1.0)))


def test_a_digest_gives_no_text_away() -> None:
    """It may be in a log that travels."""
    (one,) = of({"secret": "an answer"})
    assert "answer" not in repr(one)
    assert len(one.kind) <= 32
