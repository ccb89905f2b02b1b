"""A wrong answer beside the known mistakes -> the one that it fits, if there is one."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

from autograder.course import inputs
from autograder.marking.check_limits import CheckFailed, call, within
from autograder.marking.judge import evidence_rank
from autograder.records.facts import Outcome, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade, Mark, Misconception
from autograder.records.questions import Inputs, Question

Given = Sequence[tuple[Misconception, Sequence[Outcome]]]
"""Known mistakes, each with what it gives in each case."""


class KnownMistakes(Protocol):
    """The known mistakes of a homework."""

    def __call__(
        self,
        question: Question,
        cases: Sequence[Inputs],
        /,
        *,
        among: Collection[str] | None = None,
    ) -> Given:
        """Return the mistakes that concern a question, of those that are named in `among`."""


def diagnose(
    grade: Grade, homework: Homework, log: SubmissionLog, *, secret: str, bank: KnownMistakes
) -> Grade:
    """Return the grade with the misconception of each failed question that fits exactly one.

    Args:
        grade: What `judge` gave.
        homework: Its checks.
        log: What the submission returned.
        secret: The course's secret; the hidden inputs are drawn from it again.
        bank: Asked for failed questions only.
    """
    passed = {mark.question for mark in grade.marks if mark.verdict == "passed"}
    marks = []
    for mark in grade.marks:
        question = homework.question(mark.question)
        # What another mistake costs as well is no second one. What is trained takes long, and its
        # message says to begin with what it is built on.
        built_on = {*question.needs, *(question.if_right if question.trains else ())}
        if built_on <= passed and not mark.fault:
            try:
                found = fitting(question, mark, log, secret, bank)
                mark = replace(mark, misconception=found[0] if len(found) == 1 else None)
            except CheckFailed as error:  # the marks do not depend on it
                mark = replace(mark, fault=str(error))
        marks.append(mark)
    return replace(grade, marks=tuple(marks))


def fitting(
    question: Question, mark: Mark, log: SubmissionLog, secret: str, bank: KnownMistakes
) -> list[Misconception]:
    """Return the known mistakes that a failed answer fits best, all equally well."""
    if question.check is None or mark.verdict not in ("failed", "partly"):
        return []
    cases, digest = inputs.drawn(question, submission=log.submission, secret=secret)
    own = _first(question, log)
    stale = log.inputs.get(question.id) != digest
    if stale or len(own) != len(cases) or not _is_wrong(question, cases, own):
        return []
    fits = [
        (
            min(
                _likeness(question, case, mine, theirs, sometimes=_returns(outcomes))
                for case, mine, theirs in zip(cases, own, outcomes, strict=True)
            ),
            misconception,
        )
        for misconception, outcomes in _candidates(question, cases, own, bank)
        if len(outcomes) == len(cases) and _is_wrong(question, cases, outcomes)
    ]
    best = max((fit for fit, _ in fits), default=0.0)
    return [misconception for fit, misconception in fits if fit == best > 0]


def _first(question: Question, log: SubmissionLog) -> list[Outcome]:
    """Return what each case gave first, in the state of the notebook that tells more."""
    own = [o for o in log.outcomes if o.question == question.id and not o.again]
    states = [[outcome for outcome in own if outcome.at == at] for at in ("check", "end")]
    state = max(filter(None, states), key=evidence_rank, default=[])
    return state if evidence_rank(state) else []


def _candidates(
    question: Question, cases: Sequence[Inputs], own: Sequence[Outcome], bank: KnownMistakes
) -> Given:
    """Return the mistakes that may fit: most can be told from one wrong case."""
    if len(cases) == 1:
        return bank(question, cases)
    case, mine = next(
        (case, outcome)
        for case, outcome in zip(reversed(cases), reversed(own), strict=True)
        if _is_wrong(question, [case], [outcome])
    )
    alike = [
        misconception.name
        for misconception, (theirs,) in bank(question, [case])
        if _likeness(question, case, mine, theirs, sometimes=True) > 0
    ]
    return bank(question, cases, among=alike) if alike else []


def _returns(outcomes: Sequence[Outcome]) -> bool:
    return any(outcome.value is not None for outcome in outcomes)


def _is_wrong(question: Question, cases: Sequence[Inputs], outcomes: Sequence[Outcome]) -> bool:
    """Whether the values themselves are wrong: a question may also be lost with another one."""
    assert question.check is not None
    return any(
        outcome.value is None or call(question.check, case, outcome.value).fraction < 1
        for case, outcome in zip(cases, outcomes, strict=True)
    )


def _likeness(
    question: Question, case: Inputs, mine: Outcome, theirs: Outcome, *, sometimes: bool
) -> float:
    if mine.value is not None and theirs.value is not None:
        assert question.check is not None
        return within(question.check.likeness, case, mine.value, theirs.value)
    if mine.status != theirs.status or mine.status not in ("raised", "refused"):
        return 0.0
    # The same complaint, word for word, with the same sizes in it.
    if mine.error.split("\n")[0] == theirs.error.split("\n")[0]:
        return 1.0
    # The same kind of error, where the mistake raises it in some cases only: which tells something.
    kinds = {outcome.error.split(":")[0] for outcome in (mine, theirs)}
    return 0.5 * float(mine.status == "raised" and sometimes and len(kinds) == 1)
