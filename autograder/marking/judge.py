"""Homework + SubmissionLog -> Grade. Pure, and usable on a log that is still growing."""

import contextlib
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from autograder.course import inputs
from autograder.course.cells import defined_names
from autograder.kit.notebook.check import CHANGED_IN_PLACE, IN_PLACE
from autograder.kit.parts import SO_FAR, Parts
from autograder.marking.check_limits import CheckFailed, call, within
from autograder.records.codec import with_full_stop
from autograder.records.facts import CUT, NOT_TRAINED, CellError, Outcome, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Golf, Grade, Mark, rounded
from autograder.records.questions import ADAPTERS, Ask, Check, Inputs, Question, Value, Verdict

NOT_MARKED = "This question could not be marked; staff have been told."
UNRELATED = "Not marked: your notebook contains nothing of this homework."
_NOT_AGAIN = (
    "Evaluated a second time with the same inputs, it is wrong: does it keep something "
    "from one call to the next?"
)
PASSED_HERE = (
    "The check in your notebook printed that this passed, but the grader tries more inputs."
)
_TELL_NO_MORE = ("not written yet", "your code raised", "this check raised", SO_FAR)
_WRITTEN = {
    "unchanged": "Not written: the cell is unchanged.",
    "empty": "Not written: the cell is empty.",
}


class _Judged(NamedTuple):
    """A verdict, and the outcomes of the state of the notebook that it is about."""

    verdict: Verdict
    state: Sequence[Outcome] = ()


class Judge:
    """A judge of one submission while its log grows; each outcome is judged only once.

    Args:
        homework: Its references and checks.
        secret: The course's secret, from which the hidden inputs are drawn again.
    """

    def __init__(self, homework: Homework, *, secret: str) -> None:
        self._homework, self._secret = homework, secret
        self._judged: dict[str, tuple[_Facts, _Judged | CheckFailed]] = {}

    def __call__(self, log: SubmissionLog) -> Grade:
        """Return the marks that a log deserves."""
        marks: dict[str, Mark] = {}
        for question in self._homework.questions:
            if question.formative:
                continue
            own = log.of(question.id)
            judged = question.check is not None and not log.unrelated
            found = self._found(question, log, own) if judged else None
            marks[question.id] = _mark(question, log, own, found, marks)
        return Grade(log.submission, tuple(marks.values()))

    def passed(self, log: SubmissionLog) -> frozenset[str]:
        """Return the questions with full marks so far."""
        return self(log).passed

    def _found(
        self, question: Question, log: SubmissionLog, own: tuple[Outcome, ...]
    ) -> _Judged | CheckFailed:
        facts = (own, log.errors, log.inputs.get(question.id))
        before, found = self._judged.get(question.id, (None, None))
        if before is None or found is None or not _same(before, facts):
            try:
                found = _verdict(self._homework, question, log, self._secret)
            except CheckFailed as error:  # it costs only this question
                found = error
            self._judged[question.id] = facts, found
        return found


_Facts = tuple[tuple[Outcome, ...], tuple[CellError, ...], str | None]


def _same(one: _Facts, other: _Facts) -> bool:
    """Return whether two logs have identical outcomes for a question, without comparing arrays."""
    outcomes = len(one[0]) == len(other[0]) and all(map(operator.is_, one[0], other[0]))
    return outcomes and one[1:] == other[1:]


def untrained(grade: Grade, log: SubmissionLog, homework: Homework) -> list[str]:
    """Return the questions that were not trained because they could not count, but now could.

    Only a new run can tell what they earn.
    """
    left_out, passed = log.not_trained, grade.passed
    return [q.id for q in homework.questions if q.id in left_out and passed.issuperset(q.needs)]


def judge(homework: Homework, log: SubmissionLog, *, secret: str) -> Grade:
    """Return the marks that a log deserves, as `Judge` does."""
    return Judge(homework, secret=secret)(log)


def _mark(
    question: Question,
    log: SubmissionLog,
    own: Sequence[Outcome],
    found: _Judged | CheckFailed | None,
    earlier: Mapping[str, Mark],
) -> Mark:
    fault = str(found) if isinstance(found, CheckFailed) else ""
    lacking = [id for id in question.needs if earlier[id].verdict != "passed"]
    if found is None:
        earned, message = by_hand(question, log)
        verdict = Verdict(0.0, message)
    else:
        verdict = Verdict(0.0, NOT_MARKED) if isinstance(found, CheckFailed) else found.verdict
        waits = own and all(o.status == "returned" or o.error == NOT_TRAINED for o in own)
        if lacking and not fault and (waits or verdict.fraction > 0):
            why = "that could not be marked" if earlier[lacking[0]].fault else "it is not yet"
            said = f"This counts only once `{lacking[0]}` is right, and {why}."
            # An answer's own error is worth reading all the same.
            said = said if waits else f"{with_full_stop(verdict.message)} {said}"
            verdict = Verdict(0.0, said)
        wrong = verdict.fraction < 1 and any(outcome.says_something for outcome in own)
        if wrong and not fault:
            more = _on_others(question, earlier, own)
            if not lacking:
                more += _said_here(question, log, verdict.message)
            if more:
                message = " ".join([with_full_stop(verdict.message), *more])
                verdict = replace(verdict, message=message)
        earned = rounded(verdict.fraction * question.points)
    golf = None
    if isinstance(found, _Judged) and verdict.fraction == 1:
        golf = _golf(question, found.state)
    return Mark(
        question=question.id,
        points=question.points,
        earned=earned,
        message=" ".join(filter(None, (verdict.message, golf.words if golf else ""))),
        by_hand=question.by_hand,
        extra=question.extra,
        visibility=question.visibility,
        pictures=verdict.pictures,
        fault=fault,
        golf=golf,
    )


def _golf(question: Question, state: Sequence[Outcome]) -> Golf | None:
    """Return how sparse a right answer to the first case is, if the question has a par.

    Its outcomes are those of the state that counts: the other one may be wrong, and sparser.
    """
    if question.par is None or not state or state[0].value is None:
        return None
    arrays = [item for item in state[0].value.values() if isinstance(item, np.ndarray)]
    count = sum(int(np.count_nonzero(item)) for item in arrays)
    largest = max((float(np.abs(item).max(initial=0)) for item in arrays), default=0.0)
    return Golf(count, largest, question.par)


def _on_others(
    question: Question, earlier: Mapping[str, Mark], own: Sequence[Outcome]
) -> list[str]:
    found = []
    for id, hint in question.if_right.items():
        if earlier[id].verdict != "passed":
            found += [f"`{id}` is not right either: begin there."] * (not earlier[id].fault)
        elif all(outcome.value is not None for outcome in own):  # an error names its own line
            found.append(hint)
    return found


def _said_here(question: Question, log: SubmissionLog, message: str) -> list[str]:
    """Return the notebook check's sentence on a wrong answer, if it is informative."""
    if question.id in log.passed_here:
        return [PASSED_HERE]
    said = log.complaints_here.get(question.id, "")
    heard = said.removeprefix("it ").removesuffix(CUT).casefold()
    known = heard in message.casefold() or said.startswith(_TELL_NO_MORE)
    return [] if known else [f"The check in your notebook prints: {with_full_stop(said)}"]


def by_hand(question: Question, log: SubmissionLog) -> tuple[float | None, str]:
    """Return the points of a written answer before a person has seen it, and why."""
    if log.unrelated:
        return 0.0, UNRELATED
    if log.submission.kind == "log":
        return None, "A TA will mark this, but a log does not contain it: submit the notebook."
    state = log.written.get(question.id, "missing")
    if state in _WRITTEN:
        return 0.0, _WRITTEN[state]
    if question.id in log.candidates:
        texts = log.candidates[question.id]
        shown = "\n\n".join(f"{n}. {text}" for n, text in enumerate(texts, start=1))
        return None, f"{len(texts)} texts may be the answer; a person decides:\n\n{shown}"
    return None, "A TA will mark this."


def _verdict(homework: Homework, question: Question, log: SubmissionLog, secret: str) -> _Judged:
    """Return the verdict in the state of the notebook in which the question does better."""
    assert question.check is not None
    cases, digest = inputs.drawn(question, submission=log.submission, secret=secret)
    if log.inputs.get(question.id) != digest:
        return _Judged(Verdict(0.0, "Not marked: it has to run again with new inputs."))
    own = log.of(question.id)
    if not own:
        return _Judged(Verdict(0.0, "Not evaluated: grading did not get this far."))
    states = [[o for o in own if o.at == at] for at in ("check", "end")]
    found = [
        (verdict.fraction, evidence_rank(state), place, verdict)
        for place, state in enumerate(states)
        if state and (verdict := _of_state(homework, question, cases, state, log.errors))
    ]
    *_, place, best = max(found, key=lambda item: (item[0], item[1], -item[2]))
    if place == 1 and best.fraction > found[0][0]:
        more = (
            "It was not right at its own check cell, so its state at the end of the "
            "notebook counts."
        )
        best = replace(best, message=f"{best.message} {more}")
    return _Judged(best, states[place])


def evidence_rank(state: Sequence[Outcome]) -> int:
    """Return what a state's outcomes reveal: 2 for values, 1 for the answer's own error, else 0."""
    if all(outcome.value is not None for outcome in state):
        return 2
    return int(all(outcome.says_something for outcome in state))


def _of_state(
    homework: Homework,
    question: Question,
    cases: Sequence[Inputs],
    outcomes: Sequence[Outcome],
    errors: Sequence[CellError],
) -> Verdict:
    """Return the verdict on all cases; a question with parts combines the verdicts of its parts."""
    numbered, parts = dict(enumerate(cases)), question.check
    answered = any(outcome.says_something for outcome in outcomes)
    if (
        not isinstance(parts, Parts) or not answered
    ):  # for an unwritten answer, one sentence is enough
        return _worst(homework, question, numbered, outcomes, errors)
    found = []
    for part, numbers in zip(parts.parts, within(parts.numbers, cases), strict=True):
        own = {number: numbered[number] for number in numbers}
        asked = replace(question, check=part)
        found.append((part, _worst(homework, asked, own, outcomes, errors)))
    return parts.together(found)


def _worst(
    homework: Homework,
    question: Question,
    cases: Mapping[int, Inputs],
    outcomes: Sequence[Outcome],
    errors: Sequence[CellError],
) -> Verdict:
    assert question.check is not None
    worst: Verdict | None = None
    lowest = (1.0, True, True)
    seen: list[tuple[Inputs, Value | None, bool]] = []
    for number, case in cases.items():
        evaluated = [o for o in outcomes if o.number == number]
        right = True
        for outcome in evaluated or [Outcome(question.id, number, "not_run")]:
            if outcome.value is None:
                said = _not_returned(homework, question, outcome, errors, case)
                verdict = Verdict(0.0, _of_case(question.check, case, said))
            else:
                verdict = call(question.check, case, outcome.value)
            if outcome.again and right and verdict.fraction < 1:
                verdict = replace(verdict, message=f"{_NOT_AGAIN} {verdict.message}")
            right = right and verdict.fraction == 1
            # An error or message from the answer itself comes before wrong numbers.
            silent = outcome.value is not None or outcome.status == "not_run"
            rank = (verdict.fraction, silent, not verdict.doubtful)
            if worst is None or rank < lowest:
                worst, lowest = verdict, rank
        seen.append((case, evaluated[0].value if evaluated else None, right))
    if worst is None:
        part = getattr(question.check, "name", "")
        raise CheckFailed("no case was drawn" + f" that is about the part {part!r}" * bool(part))
    if worst.fraction < 1:
        overview = ""
        with contextlib.suppress(CheckFailed):  # only a hint: the verdict stands without it
            overview = within(question.check.overview, seen)
        return replace(worst, message=f"{worst.message} {overview}".rstrip())
    return worst


def _of_case(check: Check, case: Inputs, said: str) -> str:
    """Return a sentence on a value, with its case if it may be the only one of its kind."""
    where = _described(check, case) if said.endswith(" contains NaN or infinity.") else ""
    return f"For {where}: {said}" if where else re.sub(r"\Athe ", "The ", said)


def _described(check: Check | None, case: Inputs) -> str:
    """Return a check's description of a case, or "" if it has none."""
    describe = getattr(check, "describe", None)
    with contextlib.suppress(CheckFailed):  # only a hint: the verdict stands without it
        return str(within(describe, case)) if describe else ""
    return ""


def _withheld(ask: Ask, error: str) -> str:
    """Return the withheld name that an answer tried to use, or ""."""
    return next((name for name in ask.hide if f"name '{name}' is not defined" in error), "")


def _unwritten(homework: Homework, ask: Ask, outcome: Outcome) -> str:
    """Return which of a question's objects raised NotImplementedError."""
    return next(
        (
            name
            for name in reversed(ask.objects)
            for cell in homework.cells
            if name in defined_names(cell.source) and f"cell {cell.id!r}" in outcome.error
        ),
        ask.objects[-1],
    )


def _failing_function(error: str) -> str:
    """Return the name of the function in which a line failed, perhaps a helper, or ""."""
    found = re.search(r"\n\(in `([\w.]+)`, line \d+ of ", error)
    return found[1] if found else ""


_OF_A_VALUE = re.compile(
    r".+ (?:is None: is there|is text, not numbers|is not an array of|contains NaN or)"
)
"""Messages for refused values; students know their own functions better than an adapter."""


def _refused(
    homework: Homework, ask: Ask, name: str, error: str, errors: Sequence[CellError]
) -> str:
    """Return why a result is not a value; raise CheckFailed if that is the author's fault."""
    if f"`{name}` is not defined" in error:
        answers = [
            f"the cell {cell.id!r}"
            for cell in homework.cells
            if cell.role == "answer" and name in defined_names(cell.source)
        ]
        for one in errors:
            if one.cell in answers:
                failed = f"{one.name}: {one.message}".rstrip(": ")
                return f"`{name}` is missing: {one.cell} failed with {failed}"
        return f"No cell that ran defines `{name}`. Is the name spelt correctly?"
    if error.startswith(f"{ADAPTERS}: "):
        raise CheckFailed(error)
    if error.startswith("it "):
        return f"`{name}`: {error}"
    if ask.adapter and _OF_A_VALUE.match(error):
        called = " and ".join(f"`{one}`" for one in ask.objects)
        return f"{called}: {error}" if called else error
    return error


def _not_returned(
    homework: Homework,
    question: Question,
    outcome: Outcome,
    errors: Sequence[CellError],
    case: Inputs,
) -> str:
    """Return why there is no value: the first failure is the first thing to look at."""
    assert question.ask is not None
    name = (question.ask.objects or (question.id,))[-1]
    if outcome.status == "refused":
        missing = (n for n in question.ask.objects if f"`{n}` is not defined" in outcome.error)
        name = next(missing, name)
    match outcome.status:
        case "refused":
            return _refused(homework, question.ask, name, outcome.error, errors)
        case "raised" if question.asserted:
            return "Its test could not run: did the notebook change something in its own kernel?"
        case "raised" if outcome.error.split("\n")[0] == "NotImplementedError":
            return (
                f"Not written yet: `{_unwritten(homework, question.ask, outcome)}`. "
                "Replace its `raise NotImplementedError()` with your answer."
            )
        case "raised" if withheld := _withheld(question.ask, outcome.error):
            return (
                f"`{_failing_function(outcome.error) or name}` uses `{withheld}`, which the "
                "notebook gives you but which is removed while this is evaluated: the "
                "answer has to be your own."
            )
        case "raised" if IN_PLACE in outcome.error:
            return f"`{name}`: {CHANGED_IN_PLACE}."
        case "raised" if "\n(" not in outcome.error:  # no line of the student's failed
            return (
                f"`{name}` could not be called with this question's inputs, or its "
                "result could not be read; none of your own lines failed: "
                f"{outcome.error}"
            )
        case "raised":
            return f"`{_failing_function(outcome.error) or name}` raised {outcome.error}"
        case "timed_out":
            where = f" for {said}" if (said := _described(question.check, case)) else ""
            each = f"{homework.limits.question_seconds:g} seconds"
            total = f"{homework.limits.for_all_cases(question):g} seconds"
            limit = f"Each case has {each}, and all cases together have {total}."
            return outcome.error or f"`{name}` did not finish in time{where}. {limit}"
        case "killed":
            why = f": {outcome.error}" if outcome.error else ""
            return f"The process ended while `{name}` ran{why}."
        case _:
            return f"`{name}` was not run in this case because an earlier case failed."
