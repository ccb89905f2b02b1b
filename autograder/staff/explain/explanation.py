"""One question of a submission: inputs, values, expected values, and similar known mistakes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course import inputs
from autograder.kit.notebook.plain_data import unlike
from autograder.kit.notebook.tables import unlike_table
from autograder.marking.check_limits import CheckFailed, call, within
from autograder.marking.diagnose import KnownMistakes
from autograder.marking.judge import evidence_rank
from autograder.records.facts import Outcome, SubmissionLog
from autograder.records.marks import Mark, Misconception
from autograder.records.questions import RESULT, Check, Inputs, Question, Value
from autograder.records.tables import Frame
from autograder.records.values import differing
from autograder.staff.explain.reference_trace import steps

FOUND_AGAIN = ("not_run", "killed", "timed_out")
"""Outcomes without a value in the log, for which a new run may give one."""


@dataclass(frozen=True)
class Case:
    """One case of a question.

    Args:
        number: The case's number in the order of drawing, from 0.
        outcome: The result of the student's answer.
        second: The second result, if it differed.
        ran_again: Whether the value comes from a new run, since the log has none.
        expected: The reference's result; None if the check has no single right value.
        earns: The fraction of the points for this case; None if the check itself failed.
        message: The check's message on it.
        where: A sentence on the first difference, or "".

    """

    number: int
    inputs: Inputs
    outcome: Outcome
    second: Outcome | None
    ran_again: bool
    expected: Value | None
    earns: float | None
    message: str
    where: str


@dataclass(frozen=True)
class Near:
    """A known mistake compared with the answer.

    Args:
        same: The number of cases with equal results.
        furthest: The largest difference of two numbers, if all values have the same shapes.

    """

    mistake: Misconception
    same: int
    furthest: float | None


@dataclass(frozen=True)
class Explanation:
    """The reason for a question's mark.

    Args:
        at: The state of the notebook whose values are shown.
        cases: All cases; none if the hidden inputs have changed.
        stale: Whether the hidden inputs have changed.
        tried: Known mistakes, the closest first.
        steps: The reference's computation for the first wrong case.
        now: The answer's result when that case runs again; None if it did not.

    """

    question: Question
    mark: Mark
    at: str
    cases: tuple[Case, ...]
    stale: bool
    tried: tuple[Near, ...]
    steps: tuple[str, ...] = ()
    now: Outcome | None = None

    @property
    def first_wrong(self) -> Case | None:
        """Return the first case that loses points."""
        return next((case for case in self.cases if case.earns is None or case.earns < 1), None)


def explain(
    question: Question,
    mark: Mark,
    log: SubmissionLog,
    *,
    secret: str,
    bank: KnownMistakes,
    again: Callable[[Question, Inputs], Outcome | None],
    staff: Path,
    rerun: bool = False,
) -> Explanation:
    """Explain a machine-marked question's mark; `again` runs cells if the log has no value."""
    assert question.check is not None
    cases, digest = inputs.drawn(question, submission=log.submission, secret=secret)
    if log.inputs.get(question.id) != digest:
        return Explanation(question, mark, "", (), True, ())
    own = [outcome for outcome in log.outcomes if outcome.question == question.id]
    states = [[outcome for outcome in own if outcome.at == at] for at in ("check", "end")]
    state = max(filter(None, states), key=evidence_rank, default=[])
    first = {outcome.number: outcome for outcome in state if not outcome.again}
    second = {outcome.number: outcome for outcome in state if outcome.again}
    found = []
    for number, case in enumerate(cases):
        outcome = first.get(number, Outcome(question.id, number, "not_run"))
        ran_again = outcome.value is None and outcome.status in FOUND_AGAIN
        if ran_again:
            outcome = replace(again(question, case) or outcome, number=number)
        found.append(_case(question.check, case, outcome, second.get(number), ran_again))
    tried = _tried(question, cases, [one.outcome for one in found], bank)
    at = state[0].at if state else "end"
    whole = Explanation(question, mark, at, tuple(found), False, tuple(tried))
    if (wrong := whole.first_wrong) is None:
        return whole
    now = (again(question, wrong.inputs) or wrong.outcome) if rerun else None
    return replace(whole, steps=steps(question.check, wrong.inputs, staff), now=now)


def _case(
    check: Check, case: Inputs, outcome: Outcome, second: Outcome | None, ran_again: bool
) -> Case:
    earns, message, right = 0.0 if outcome.value is None else None, outcome.error, None
    try:
        right = expected(check, case)
        for one in (outcome, second):
            if one and one.value is not None:
                verdict = call(check, case, one.value)
                if earns is None or verdict.fraction < earns:
                    earns, message = verdict.fraction, verdict.message
    except CheckFailed as error:
        earns, message = None, f"the check itself failed: {error.reason}"
    where = ""
    if outcome.value is not None and right is not None:
        where = first_difference(outcome.value, right, tolerance=check.allowed())
    return Case(outcome.number, case, outcome, second, ran_again, right, earns, message, where)


def expected(check: Check, case: Inputs) -> Value | None:
    """Return the reference's named results; None for a check without a single right value."""
    if (found := within(check.expected, case)) is None:
        return None
    named = isinstance(found, Mapping) and all(
        isinstance(one, np.ndarray) for one in found.values()
    )
    return found if named and found else {RESULT: found}


def first_difference(value: Value, right: Value, *, tolerance: float) -> str:
    """Return a sentence on the first difference of two values, with both numbers, or ""."""
    for name, other in right.items():
        got = value.get(name)
        if got is None and name not in value:
            return f"{name} is missing."
        if isinstance(got, np.ndarray) and isinstance(other, np.ndarray):
            said = _in_array(name, got, other, tolerance)
        elif isinstance(got, Frame) and isinstance(other, Frame):
            said = _in_table(name, got, other, tolerance)
        else:
            bare = got.item() if isinstance(got, np.ndarray) and got.ndim == 0 else got
            said = unlike(bare, other, place=name, tolerance=tolerance)
        if said:
            return said
    return ""


def _in_table(name: str, got: Frame, right: Frame, tolerance: float) -> str:
    """Return a sentence on the first differing cell, row by row, or on the names or types."""
    if len(got.index) == len(right.index) and got.columns == right.columns:
        for row, label in enumerate(right.index):
            for column, mine, theirs in zip(right.columns, got.values, right.values, strict=True):
                if unlike(mine[row], theirs[row], tolerance=tolerance):
                    return (
                        f"{name} has {mine[row]!r} in row {label!r} of the column "
                        f"{column!r}, but should have {theirs[row]!r}."
                    )
    return unlike_table(got, right, tolerance=tolerance, index=True, kinds=True)


def _in_array(name: str, got: Any, right: Any, tolerance: float) -> str:
    if got.shape != right.shape:
        return f"{name} has shape {got.shape}, but should have {right.shape}."
    wrong = np.argwhere(differing(got, right, tolerance))
    if not len(wrong):
        return ""
    place = tuple(int(number) for number in wrong[0])
    at = f"[{', '.join(map(str, place))}]" if place else ""
    more = f"; {len(wrong)} of {right.size} numbers differ" if right.size > 1 else ""
    return f"{name}{at} is {got[place]:.9g}, but should be {right[place]:.9g}{more}."


def _tried(
    question: Question, cases: Sequence[Inputs], own: Sequence[Outcome], bank: KnownMistakes
) -> list[Near]:
    found: list[Near] = []
    if not any(outcome.says_something for outcome in own):
        return found
    for mistake, outcomes in bank(question, cases):
        if len(outcomes) != len(cases):
            continue
        same, gaps = 0, []
        for case, mine, theirs in zip(cases, own, outcomes, strict=True):
            same += _alike(question, case, mine, theirs)
            gaps.append(_gap(mine.value, theirs.value))
        known = [gap for gap in gaps if gap is not None]
        furthest = max(known) if len(known) == len(gaps) and known else None
        found.append(Near(mistake, same, furthest))
    return sorted(
        found, key=lambda near: (-near.same, np.inf if near.furthest is None else near.furthest)
    )


def _alike(question: Question, case: Inputs, mine: Outcome, theirs: Outcome) -> bool:
    assert question.check is not None
    if mine.value is None or theirs.value is None:
        one, other = (outcome.error.split("\n")[0] for outcome in (mine, theirs))
        return mine.status == theirs.status and one == other
    try:
        return within(question.check.likeness, case, mine.value, theirs.value) >= 1
    except CheckFailed:
        return False


def _gap(mine: Value | None, theirs: Value | None) -> float | None:
    """Return the largest difference between two values' numbers; None if their shapes differ."""
    if mine is None or theirs is None or mine.keys() != theirs.keys():
        return None
    both = [(mine[name], other) for name, other in theirs.items()]
    arrays = [pair for pair in both if all(isinstance(one, np.ndarray) for one in pair)]
    if any(got.shape != other.shape for got, other in arrays):
        return None
    return max((float(np.abs(got - other).max(initial=0.0)) for got, other in arrays), default=0.0)
