"""diagnose: it names the mistake that an answer matches, but never ties or guesses."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest

from autograder.course import inputs
from autograder.kit import Close
from autograder.marking.diagnose import diagnose
from autograder.marking.judge import judge
from autograder.records.facts import Outcome, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Misconception
from autograder.records.questions import Inputs, Question, Value
from tests.helpers import SECRET, returned

ME = SubmissionId("someone", "notebook", "3" * 64)
FIRST, SECOND = Misconception("first", "n", "e"), Misconception("second", "n", "e")
Given = list[tuple[Misconception, list[Outcome]]]


def named(
    homework: Homework, question: str, mine: Sequence[Outcome], *known: Sequence[Outcome]
) -> str | None:
    """Return the name given to an answer, compared with up to two known mistakes."""
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


def means(homework: Homework, off: float) -> list[Outcome]:
    """Return the results of an answer that is off by a number, for every case."""
    return [*returned(homework, "mean", ME, off=off)]


def test_the_mistake_with_the_same_numbers_is_named(toy: Homework) -> None:
    """The numbers must agree in every case; one difference is enough for silence."""
    mine = means(toy, 2.0)
    assert named(toy, "mean", mine, means(toy, 3.0), means(toy, 2.000001)) == "second"
    assert named(toy, "mean", mine, means(toy, 3.0)) is None
    mixed = [*mine[:-1], means(toy, 2.1)[-1]]
    assert named(toy, "mean", mixed, means(toy, 2.0)) is None


def test_a_tie_is_not_claimed(toy: Homework) -> None:
    """Two mistakes that match equally well cannot be distinguished."""
    assert named(toy, "mean", means(toy, 2.0), means(toy, 2.0), means(toy, 2.0)) is None


class Near(Close):
    """A check that matches anything off by less than 1, the closer the better."""

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        return max(0.0, 1 - float(abs(value["the mean"] - known["the mean"])))


def test_what_fits_in_part_is_named_and_what_fits_better_wins(toy: Homework) -> None:
    """Equal numbers win over near ones; a value far from all matches none."""
    count, mean, argue = toy.questions
    assert isinstance(mean.check, Close)
    check = Near(mean.check.reference, mean.check.tolerance)
    near = replace(toy, questions=(count, replace(mean, check=check), argue))
    mine = means(toy, 2.0)
    assert named(near, "mean", mine, means(toy, 2.5)) == "first"
    assert named(near, "mean", mine, means(toy, 2.5), mine) == "second"
    assert named(near, "mean", mine, means(toy, 5.0)) is None


def test_right_answers_are_no_mistakes(toy: Homework) -> None:
    """Neither right answers nor those lost with a different question are diagnosed."""
    assert named(toy, "mean", means(toy, 0.0), means(toy, 0.0)) is None
    assert named(toy, "mean", means(toy, 2.0), means(toy, 0.0)) is None


class Learned(Close):
    """A check of a value that takes long to learn."""

    trains = True


def test_what_is_trained_is_compared_only_where_what_it_is_built_on_is_right(toy: Homework) -> None:
    """The message says to begin there, and each known mistake would need training."""
    count, mean, argue = toy.questions
    assert isinstance(mean.check, Close)
    check = Learned(mean.check.reference, mean.check.tolerance)
    trained = replace(toy, questions=(count, replace(mean, check=check), argue))
    counted = [*returned(toy, "count", ME)]
    mine = means(toy, 2.0)
    assert named(trained, "mean", mine, means(toy, 2.0)) is None
    assert named(trained, "mean", counted + mine, means(toy, 2.0)) == "first"
    assert named(toy, "mean", mine, means(toy, 2.0)) == "first"


def test_the_same_complaint_word_for_word_fits(toy: Homework) -> None:
    """Sizes count; the student's own line does not."""

    def raised(message: str) -> list[Outcome]:
        return [Outcome("mean", n, "raised", error=f"{message} {n}\n(x)") for n in range(4)]

    assert named(toy, "mean", raised("RuntimeError: size"), raised("RuntimeError: size")) == "first"
    assert named(toy, "mean", raised("RuntimeError: size"), raised("RuntimeError: mat")) is None


@pytest.mark.parametrize(
    ("status", "error"),
    [("timed_out", ""), ("killed", ""), ("raised", "NotImplementedError\n(line 3)")],
)
def test_what_says_nothing_is_not_diagnosed(toy: Homework, status: str, error: str) -> None:
    """For an empty answer, or one that never returned, the bank is not even asked."""
    mine = [Outcome("mean", n, status, error=error) for n in range(4)]  # type: ignore[arg-type]
    log = SubmissionLog(
        toy.name, ME, inputs=inputs.digests(toy, submission=ME, secret=SECRET), outcomes=tuple(mine)
    )

    def bank(
        asked: Question, cases: Sequence[Inputs], /, *, among: Collection[str] | None = None
    ) -> Given:
        raise AssertionError("asked")

    grade = judge(toy, log, secret=SECRET)
    assert diagnose(grade, toy, log, secret=SECRET, bank=bank) == grade
