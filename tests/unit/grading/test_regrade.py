"""regrade: no mark falls unseen, and nothing that has to run again is judged."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from autograder.course import inputs
from autograder.course.course import Course, Due, Late
from autograder.grading import regrade
from autograder.grading.regrade import Change, Regraded
from autograder.marking.mark import mark
from autograder.records.facts import Outcome, Receipt, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.questions import Ask, Check, Inputs, Question, Value, Verdict
from autograder.store import results
from tests.helpers import ANYONE, COURSE, earned


class Least(Check):
    """Accepts numbers that are large enough."""

    def __init__(self, least: float = 1.0) -> None:
        self.least = least

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        return Verdict(float(value["x"] >= self.least), "Large enough?")


def cases(rng: np.random.Generator) -> list[dict[str, np.ndarray]]:
    return [{"x": rng.uniform(size=2)}]


def larger_cases(rng: np.random.Generator) -> list[dict[str, np.ndarray]]:
    return [{"x": rng.uniform(size=3)}]


ASK = Ask(objects=("f",))
QUESTIONS = (
    Question("first", Least(), cases, ask=ASK, points=5),
    Question("second", Least(), cases, ask=ASK, points=5, needs=("first",)),
    Question("third", Least(), cases, ask=ASK, points=5, needs=("second",)),
)
HOMEWORK = Homework("Title", QUESTIONS, name="hw", facts_digest="before")


def graded(
    out: Path,
    *,
    course: Course = COURSE,
    values: Mapping[str, float] | None = None,
    receipt: Receipt | None = None,
) -> None:
    """Write what grading ada left, whose answers returned these values, by default 1."""
    values = values or {}
    log = SubmissionLog(
        *("hw", ANYONE),
        versions={"homework": HOMEWORK.facts_digest},
        inputs=inputs.digests(HOMEWORK, submission=ANYONE, secret=course.secret),
        outcomes=tuple(
            Outcome(q.id, 0, "returned", {"x": np.array(values.get(q.id, 1.0))}) for q in QUESTIONS
        ),
        receipt=receipt,
        complete=True,
    )
    (out / "ada").mkdir()
    results.write_log(out / "ada", log)
    results.write_grade(out / "ada", mark(HOMEWORK, log, course))


def regraded(out: Path, *questions: Question, course: Course = COURSE) -> Regraded:
    """Return what today's questions make of ada's log."""
    now = replace(HOMEWORK, questions=questions)
    (item,) = regrade.regrade(out, lambda _: now, course, lambda _: None)  # type: ignore[arg-type,return-value]
    assert isinstance(item, Regraded), item
    return item


@pytest.mark.parametrize(
    ("after", "why"),
    [
        ((), "It is no longer a question."),
        ((Question("third", points=5),), "It is now marked by hand."),
    ],
)
def test_points_of_a_question_that_is_gone_are_named(
    tmp_path: Path, after: tuple[Question, ...], why: str
) -> None:
    """A dropped question's points are a change like any other, and need --allow-lower."""
    graded(tmp_path)
    item = regraded(tmp_path, *QUESTIONS[:2], *after)
    assert item.changes == (Change("third", 5.0, 0.0, why),)
    assert item.changes[0].lowers


def test_a_renamed_question_is_new_and_its_old_points_are_named(tmp_path: Path) -> None:
    """It has no earlier mark, and its message does not say that it has."""
    graded(tmp_path)
    item = regraded(tmp_path, *QUESTIONS[:2], replace(QUESTIONS[2], id="renamed", needs=()))
    assert item.stale == ("renamed",)
    assert item.grade.marks[2].message == regrade.NEW
    assert [one.question for one in item.changes] == ["third"]


def test_whatever_builds_on_new_inputs_has_to_run_again(tmp_path: Path) -> None:
    """Also through a question in between; all of them keep their marks."""
    graded(tmp_path)
    item = regraded(tmp_path, replace(QUESTIONS[0], cases=larger_cases), *QUESTIONS[1:])
    assert item.stale == ("first", "second", "third")
    assert earned(item.grade) == {"first": 5, "second": 5, "third": 5}
    assert item.changes == ()


def test_a_run_with_other_adapters_is_outdated(tmp_path: Path) -> None:
    """Its values may be wrong although its inputs are the same; an earlier version may not say."""
    graded(tmp_path)
    assert not regraded(tmp_path, *QUESTIONS).outdated
    now = replace(HOMEWORK, facts_digest="after")
    (item,) = regrade.regrade(tmp_path, lambda _: now, COURSE, lambda _: None)  # type: ignore[arg-type,return-value]
    assert isinstance(item, Regraded)
    assert item.outdated


@pytest.mark.parametrize(("percent", "falls"), [(10.0, False), (50.0, True)])
def test_a_share_of_more_points_is_no_lower_mark(
    tmp_path: Path, percent: float, falls: bool
) -> None:
    """A late student who gains points loses the same share of them; a larger share is a loss."""
    receipt = Receipt(datetime(2026, 11, 3, 11, tzinfo=UTC))
    due = {"hw": Due(due=datetime(2026, 11, 2, 12))}
    course = structs.replace(COURSE, homework=due, late=Late(rule="deduct"))
    graded(tmp_path, course=course, values={"third": 0.5}, receipt=receipt)
    later = structs.replace(course, late=Late(rule="deduct", percent_a_day=percent))
    milder = replace(QUESTIONS[2], check=Least(0.5))
    item = regraded(tmp_path, *QUESTIONS[:2], milder, course=later)
    gain, late = item.changes
    assert (gain.question, gain.before, gain.after) == ("third", 0, 5)
    assert (late.question, late.before, late.after) == ("late", -1, -0.15 * percent)
    assert (gain.lowers, late.lowers) == (False, falls)
