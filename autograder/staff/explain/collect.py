"""A submission's results -> explanations of the requested questions."""

import contextlib
import functools
from collections.abc import Sequence
from pathlib import Path

from autograder.course import course
from autograder.records.errors import UserError
from autograder.records.facts import Outcome, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.records.questions import Inputs, Question
from autograder.sandbox import mistake_bank
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.explain import rerun as running
from autograder.staff.explain.explanation import Explanation, explain


def explanations(
    root: Path,
    homework: Homework,
    log: SubmissionLog,
    grade: Grade,
    cells: Sequence[str],
    *,
    question: str | None,
    out: Path,
    rerun: bool = False,
) -> list[Explanation]:
    """Explain the marks of one question or all that lost points; student code cannot see `out`.

    Raises:
        UserError: there is no such question, or its mark does not depend on values.

    """
    settings = course.read(root)
    asked = [(homework.question(mark.question), mark) for mark in grade.marks]
    marked = [
        (one, mark)
        for one, mark in asked
        if one.check is not None and one.ask is not None and not one.asserted
    ]
    if question is None:
        chosen = [(one, mark) for one, mark in marked if mark.verdict != "passed"]
    else:
        chosen = [(one, mark) for one, mark in marked if one.id == question]
        if not chosen:
            raise UserError(_why_not(homework, question, [one.id for one, _ in marked]))
    if not chosen:
        return []
    with contextlib.ExitStack() as stack:
        bank = stack.enter_context(mistake_bank.bank(root, homework))

        @functools.cache
        def opened() -> Sandbox:
            sandbox = stack.enter_context(Sandbox())
            sandbox.launch(homework.warm)
            sandbox.expect(homework, hidden=[*course.private(root), out])
            return sandbox

        def again(one: Question, case: Inputs) -> Outcome | None:
            return running.outcome(homework, cells, opened(), one, case)

        return [
            explain(
                one,
                mark,
                log,
                secret=settings.secret,
                bank=bank,
                again=again,
                staff=root / "source" / homework.name / "staff",
                rerun=rerun,
            )
            for one, mark in chosen
        ]


def _why_not(homework: Homework, question: str, there: Sequence[str]) -> str:
    if question not in {one.id for one in homework.questions}:
        return f"{homework.name} has no question {question!r}; choose from {', '.join(there)}"
    if homework.question(question).by_hand:
        return f"{question} is marked by hand: its answer is in executed.ipynb and in the gradebook"
    return f"the question's own test cell decides {question}: report.html shows its error"
