"""Clauses of the proof, and the grading of known answers that they are about."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.authoring.contract.reproducible_inputs import SECRET
from autograder.course import known_answers
from autograder.course.cells import defined_names
from autograder.course.course import Course
from autograder.course.homework import HomeworkError
from autograder.marking.judge import Judge
from autograder.marking.mark import mark
from autograder.records import codec
from autograder.records.facts import Outcome, Submission, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.records.questions import Check, Inputs, Question, Value
from autograder.sandbox.execute import Executed, execute
from autograder.sandbox.supervisor import Sandbox

COURSE = Course(title="The contract", term="", secret=SECRET)


@dataclass(frozen=True)
class Clause:
    """One line of the proof: a rule, the case it was tried on, and whether it holds."""

    rule: str
    case: str
    holds: bool
    detail: str


def clause(rule: str, case: str, wrong: str, kept: str) -> Clause:
    """Return a clause that holds where nothing is wrong, with the detail for either."""
    return Clause(rule, case, not wrong, wrong or kept)


def executed(
    submission: Submission, chosen: Homework, sandbox: Sandbox, *, all_cells: bool = False
) -> tuple[Executed, Grade]:
    """Run a submission to its end, and return its marks; HomeworkError where a check raises."""
    judging = Judge(chosen, secret=SECRET)
    *_, state = execute(
        submission,
        chosen,
        sandbox=sandbox,
        secret=SECRET,
        settled=judging.passed,
        all_cells=all_cells,
    )
    grade = mark(chosen, state.log, COURSE, judge=judging)
    for one in grade.marks:
        if one.fault:
            where = f"source/{chosen.name}/staff: the check of {one.question!r}"
            raise HomeworkError(f"{where} failed: {one.fault.splitlines()[0]}")
    return state, grade


def run(submission: Submission, chosen: Homework, sandbox: Sandbox) -> tuple[SubmissionLog, Grade]:
    """Grade one submission and return its log and its marks; HomeworkError where a check raises."""
    state, grade = executed(submission, chosen, sandbox)
    return state.log, grade


def compared(chosen: Homework) -> Homework:
    """Leave out trained questions, which are slow and whose weights are no secret."""
    return replace(chosen, questions=tuple(q for q in chosen.questions if not q.trains))


def touched(
    chosen: Homework, answer: known_answers.KnownAnswer, *, trains: bool = True
) -> Homework:
    """Leave out what is trained where an answer changes nothing of it: the instructor's was tried.

    Without `trains`, the trained questions that it changes are left out as well.
    """
    names = defined_names(answer.define)
    asked = {
        question.id
        for question in chosen.questions
        if not question.trains or (trains and question.ask and names & set(question.ask.objects))
    }
    for question in reversed(chosen.questions):  # the message of a question depends on earlier ones
        if question.id in asked:
            asked |= {*question.needs, *question.if_right}
    return replace(chosen, questions=tuple(q for q in chosen.questions if q.id in asked))


def lost(grade: Grade) -> frozenset[str]:
    """Return the machine-marked questions that did not earn everything."""
    return frozenset(m.question for m in grade.marks if m.verdict in ("partly", "failed"))


def first_loss(grade: Grade) -> str:
    """Return which questions an answer loses, and what the first of them is told; "" for none."""
    losses = [one for one in grade.marks if one.question in lost(grade)]
    if not losses:
        return ""
    said = codec.one_line(losses[0].message)
    adapter = "; is its adapter right?" * ("none of your own lines failed" in said)
    names = ", ".join(one.question for one in losses)
    return f"loses {names}; {losses[0].question}: {said}{adapter}"


def listed(questions: Collection[str]) -> str:
    """Return names in order, for a detail."""
    return ", ".join(sorted(questions))


def timeless(log: SubmissionLog, *only: Outcome) -> str:
    """Return a log as text, or some outcomes, without the times that differ between two runs."""
    outcomes = tuple(replace(outcome, seconds=0.0) for outcome in only or log.outcomes)
    return codec.encode_log(replace(log, outcomes=outcomes, time=0.0, seconds=0.0))


def judged(check: Check, case: Inputs, value: Value | None) -> tuple[str, float]:
    """Return "" and what a value earns, or that a check raises on it, and 0."""
    if value is None:
        return "", 0.0
    try:
        with np.errstate(all="ignore"):
            return "", check(case, value).fraction
    except Exception as error:
        return f"raises {type(error).__name__} on", 0.0


def earns(question: Question, cases: Sequence[Inputs], outcomes: Sequence[Outcome]) -> bool:
    """Return whether an answer's values are right in every case."""
    check = question.check
    return len(outcomes) == len(cases) and all(
        check is not None and outcome.value is not None and check(case, outcome.value).fraction == 1
        for case, outcome in zip(cases, outcomes, strict=True)
    )
