"""Find what an author writes and nothing uses: tests that never run, mistakes that prove nothing."""

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.course.known_answers import KnownAnswer
from autograder.records.facts import Outcome, SubmissionLog
from autograder.records.homework import Cell, Homework
from autograder.records.questions import RESULT
from autograder.sandbox.inside.test_cells import hidden_lines

TYPING_ERRORS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError")
"""Errors that no answer raises on purpose."""


def tests_that_never_run(chosen: Homework, cells: Sequence[Cell]) -> Iterator[str]:
    """Say of each question with a check of the kit's that its hidden tests decide nothing."""
    checks = {q.id: q.check for q in chosen.questions if q.check and not q.asserted}
    for cell in cells:
        if (
            cell.role == "check"
            and cell.grade_id in checks
            and hidden_lines(cell.source.split("\n"))
        ):
            check = type(checks[cell.grade_id]).__name__
            yield (
                f"the hidden tests of {cell.grade_id} never run, since `{check}` in spec.py decides: draw "
                "what they try in `cases`, or give the question `Asserted()`"
            )


def crashed(answer: KnownAnswer, log: SubmissionLog, asked: Homework) -> list[str]:
    """Say of each question that a known mistake loses by an error alone, and not by what it gives.

    A mistake that is an error names it: raises.question = "IndexError".
    """
    said = []
    declared = answer.written.raises
    for question in asked.questions:
        own = [one for one in log.outcomes if one.question == question.id]
        errors = list(filter(None, map(_error, own)))
        built_on = answer.fails & {*question.needs, *question.if_right}  # its error is told there
        lost = question.id in answer.fails and not built_on
        if not lost or not errors or len(errors) < len(own):
            continue
        if (name := errors[0]) != declared.get(question.id):
            said.append(
                f"in every case of {question.id} it raises {name}, which proves nothing: mend it, or "
                f'write raises.{question.id} = "{name}" where that is the mistake (in a .py file, in RAISES)'
            )
    return said


def _error(outcome: Outcome) -> str:
    if outcome.status == "raised":
        return outcome.error.split("\n")[0].split(":")[0]
    found: Any = (outcome.value or {}).get(RESULT)
    names = [*found.get("kinds", ()), found.get("error")] if isinstance(found, dict) else []
    return next((name for name in names[:1] if name in TYPING_ERRORS), "")
