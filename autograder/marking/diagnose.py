"""The diagnosis of wrong answers: the one known mistake or named group that each matches, if any."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from autograder.course import inputs
from autograder.marking.check_limits import CheckFailed, call, within
from autograder.marking.judge import evidence_rank
from autograder.records import digests
from autograder.records.facts import Common, Outcome, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade, Mark, Misconception, NamedGroup
from autograder.records.questions import Inputs, Question

Given = Sequence[tuple[Misconception, Sequence[Outcome]]]
"""Known mistakes, each with its results in each case."""


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
        """Return the mistakes for a question, among those named in `among`."""


def diagnose(
    grade: Grade, homework: Homework, log: SubmissionLog, *, secret: str, bank: KnownMistakes
) -> Grade:
    """Return the grade with a misconception for each failed question that matches exactly one.

    Args:
        grade: The result of `judge`.
        homework: Its checks.
        log: The submission's results.
        secret: The course's secret, from which the hidden inputs are drawn again.
        bank: The known mistakes, looked up only for failed questions.
    """
    marks = []
    for mark in grade.marks:
        question = homework.question(mark.question)
        # A question that failed because of an earlier question has no mistake of its own. A trained
        # one is also skipped: training takes long, and the message already points to the question
        # it builds on.
        built_on = {*question.needs, *(question.if_right if question.trains else ())}
        if built_on <= grade.passed and not mark.fault:
            try:
                found = fitting(question, mark, log, secret, bank)
                mark = replace(mark, misconception=found[0] if len(found) == 1 else None)
            except CheckFailed as error:  # marks do not depend on the diagnosis
                mark = replace(mark, fault=str(error))
        marks.append(mark)
    return replace(grade, marks=tuple(marks))


def with_names(grade: Grade, homework: Homework, common: Mapping[str, Common]) -> Grade:
    """Return the grade with the sentences of named groups on their wrong answers; no points change.

    Args:
        grade: The result of `diagnose`, or an earlier one with different names.
        homework: Its groups.
        common: The results of wrong answers on the inputs that all submissions share.
    """
    needs = {question.id: question.needs for question in homework.questions}
    marks = []
    for mark in grade.marks:
        if mark.misconception and mark.misconception.of_group:
            mark = replace(mark, misconception=None)
        mine = common.get(mark.question)
        if mine and is_unknown(mark) and {*needs.get(mark.question, ())} <= grade.passed:
            found = [one for one in homework.named if is_of(one, mark.question, mine)]
            if len(found) == 1:
                one = found[0]
                fits = Misconception(one.name, one.where, one.sentence, of_group=True)
                mark = replace(mark, misconception=fits)
        marks.append(mark)
    return replace(grade, marks=tuple(marks))


def is_unknown(mark: Mark) -> bool:
    """Return whether an answer is wrong and matches no known mistake."""
    lost = mark.verdict in ("failed", "partly")
    return lost and not mark.by_hand and not mark.misconception and not mark.fault


def is_of(group: NamedGroup, question: str, common: Common) -> bool:
    """Return whether a wrong answer gave the same results as a named group's answers."""
    same = group.question == question and group.inputs == common.inputs
    return same and digests.alike(group.values, common.values)


def fitting(
    question: Question, mark: Mark, log: SubmissionLog, secret: str, bank: KnownMistakes
) -> list[Misconception]:
    """Return the known mistakes that match a failed answer best, all equally well."""
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
    """Return the first outcome of each case, in the state of the notebook that tells more."""
    own = [outcome for outcome in log.of(question.id) if not outcome.again]
    states = [[outcome for outcome in own if outcome.at == at] for at in ("check", "end")]
    state = max(filter(None, states), key=evidence_rank, default=[])
    return state if evidence_rank(state) else []


def _candidates(
    question: Question, cases: Sequence[Inputs], own: Sequence[Outcome], bank: KnownMistakes
) -> Given:
    """Return the mistakes that may match: one wrong case rules out most of them."""
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
    """Return whether the values themselves are wrong: other questions may also cause a failure."""
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
    # Equal complaints also contain equal sizes, so they are strong evidence.
    if mine.error.split("\n")[0] == theirs.error.split("\n")[0]:
        return 1.0
    # The same kind of error counts if the mistake raises it only in some cases.
    kinds = {outcome.error.split(":")[0] for outcome in (mine, theirs)}
    return 0.5 * float(mine.status == "raised" and sometimes and len(kinds) == 1)
