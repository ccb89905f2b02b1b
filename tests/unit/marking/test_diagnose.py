"""diagnose: the mistake that an answer fits is named, a tie is not, and nothing is guessed."""

from collections.abc import Collection, Sequence

import numpy as np
import pytest

from autograder.course import inputs
from autograder.marking.diagnose import diagnose
from autograder.marking.judge import judge
from autograder.model import (
    Homework,
    Inputs,
    Misconception,
    Outcome,
    Question,
    SubmissionId,
    SubmissionLog,
    Value,
)
from tests.helpers import SECRET
from tests.helpers import returned as off_by

ME = SubmissionId("someone", "notebook", "3" * 64)
FIRST, SECOND = Misconception("first", "n", "e"), Misconception("second", "n", "e")
EQUAL_KEYS = np.vstack([np.zeros((3, 1)), np.ones((4, 1))])
RIGHT = {
    "Km": np.vstack([np.zeros((3, 1)), [[20], [0], [0], [0]]]),
    "Qm": np.ones((7, 1)),
    "Vm": np.vstack([np.eye(3), np.zeros((4, 3))]),
    "pos": np.eye(4),
}
Given = list[tuple[Misconception, list[Outcome]]]


def named(
    homework: Homework, question: str, mine: Sequence[Outcome], *known: Sequence[Outcome]
) -> str | None:
    """Return the name given to an answer beside up to two known mistakes."""
    log = SubmissionLog(
        homework=homework.name,
        submission=ME,
        inputs=inputs.digests(homework, submission=ME, secret=SECRET),
        outcomes=tuple(mine),
    )

    drawn = inputs.drawn(homework.question(question), submission=ME, secret=SECRET).cases

    def bank(
        asked: Question, cases: Sequence[Inputs], /, *, among: Collection[str] | None = None
    ) -> Given:
        assert asked.id == question, "only failed questions are asked"
        numbers = [n for case in cases for n, other in enumerate(drawn) if other is case]
        return [
            (mistake, [outcomes[n] for n in numbers])
            for mistake, outcomes in zip((FIRST, SECOND), known, strict=False)
            if among is None or mistake.name in among
        ]

    grade = judge(homework, log, secret=SECRET)
    grade = diagnose(grade, homework, log, secret=SECRET, bank=bank)
    (mark,) = (m for m in grade.marks if m.question == question)
    return mark.misconception.name if mark.misconception else None


def returned(question: str, *values: Value) -> list[Outcome]:
    return [Outcome(question, n, "returned", value) for n, value in enumerate(values)]


def means(homework: Homework, off: float) -> list[Outcome]:
    """Return what an answer gives that is off by a number, for every case."""
    return [*off_by(homework, "mean", ME, off=off)]


def test_the_mistake_with_the_same_numbers_is_named(toy: Homework) -> None:
    """Within the tolerance, in every case; one case that differs is enough to say nothing."""
    mine = means(toy, 2.0)
    assert named(toy, "mean", mine, means(toy, 3.0), means(toy, 2.000001)) == "second"
    assert named(toy, "mean", mine, means(toy, 3.0)) is None
    mixed = [*mine[:-1], means(toy, 2.1)[-1]]
    assert named(toy, "mean", mixed, means(toy, 2.0)) is None


def test_a_tie_is_not_claimed(toy: Homework) -> None:
    """Two mistakes that fit equally well are not told apart."""
    assert named(toy, "mean", means(toy, 2.0), means(toy, 2.0), means(toy, 2.0)) is None


def test_right_answers_are_no_mistakes(toy: Homework) -> None:
    """Neither a right answer nor one that is lost with another question is diagnosed."""
    assert named(toy, "mean", means(toy, 0.0), means(toy, 0.0)) is None
    assert named(toy, "mean", means(toy, 2.0), means(toy, 0.0)) is None


def test_the_same_complaint_word_for_word_fits(toy: Homework) -> None:
    """With the sizes in it; the student's own line is left out."""

    def raised(message: str) -> list[Outcome]:
        return [Outcome("mean", n, "raised", error=f"{message} {n}\n(x)") for n in range(4)]

    assert named(toy, "mean", raised("RuntimeError: size"), raised("RuntimeError: size")) == "first"
    assert named(toy, "mean", raised("RuntimeError: size"), raised("RuntimeError: mat")) is None


@pytest.mark.parametrize(
    ("status", "error"),
    [("timed_out", ""), ("killed", ""), ("raised", "NotImplementedError\n(line 3)")],
)
def test_what_says_nothing_is_not_diagnosed(toy: Homework, status: str, error: str) -> None:
    """An empty answer, or one that never came back: the bank is not even asked."""
    mine = [Outcome("mean", n, status, error=error) for n in range(4)]  # type: ignore[arg-type]
    log = SubmissionLog(
        toy.name,
        ME,
        inputs=inputs.digests(toy, submission=ME, secret=SECRET),
        outcomes=tuple(mine),
    )

    def bank(
        asked: Question, cases: Sequence[Inputs], /, *, among: Collection[str] | None = None
    ) -> Given:
        raise AssertionError("asked")

    grade = judge(toy, log, secret=SECRET)
    assert diagnose(grade, toy, log, secret=SECRET, bank=bank) == grade


def test_matrices_fit_by_what_they_do(hw2: Homework) -> None:
    """Other numbers with the same attention and the same outputs, or only the same behaviour."""
    alike = RIGHT | {"Km": -7 * EQUAL_KEYS, "Qm": np.zeros((7, 1))}
    known = RIGHT | {"Km": EQUAL_KEYS}
    other = RIGHT | {"Vm": np.roll(RIGHT["Vm"], 1, axis=1)}
    mine = returned("copy_first", alike)
    assert (
        named(hw2, "copy_first", mine, returned("copy_first", other), returned("copy_first", known))
        == "second"
    )
    soft, softer = (RIGHT | {"Km": RIGHT["Km"] * size} for size in (0.2, 0.15))
    exact, behaves = returned("copy_first", soft), returned("copy_first", softer)
    assert named(hw2, "copy_first", exact, behaves) == "first"
    assert named(hw2, "copy_first", exact, behaves, exact) == "second"  # the same numbers win


def test_odd_values_fit_nothing(hw2: Homework) -> None:
    """Wrong shapes, text and infinite scores are no reason to fail."""
    known = returned("copy_first", RIGHT | {"Km": EQUAL_KEYS})
    for odd in (
        {},
        {"Km": "text"},
        RIGHT | {"Km": np.eye(2)},
        RIGHT | {"Km": np.full((7, 1), 1e308)},
    ):
        assert named(hw2, "copy_first", returned("copy_first", odd), known) is None
