"""A homework's questions, asked in the kernel of another grader: what its hidden tests call.

Same adapters, inputs drawn by the same function, same checks. Here all of them are in the
student's own process: this is for comparing times, and no way to grade.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from autograder.course import inputs
from autograder.course.homework import staff_module
from autograder.records.data import decode_value, encode_value
from autograder.records.facts import SubmissionId
from autograder.records.homework import Homework
from autograder.records.questions import Inputs, Question, Verdict
from autograder.sandbox.inside import evaluate

ROOT = Path(__file__).parents[2]
ONE_FOR_ALL = SubmissionId("", "notebook", "")
"""Another grader's hidden tests are the same for everybody."""
VERDICTS = "verdicts of the hidden tests"
"""Where a notebook's namespace has what was asked already; no name of Python's."""


def points(homework: str, id: str, notebook: dict[str, Any], worth: float) -> float:
    """Return what an answer earns; AssertionError where that is nothing, as nbgrader wants it."""
    earned = verdict(homework, id, notebook)
    assert earned.fraction, earned.message
    return earned.fraction * worth


def demand(homework: str, id: str, notebook: dict[str, Any], fraction: float) -> None:
    """Raise AssertionError where an answer earns less than a fraction, as otter wants it."""
    earned = verdict(homework, id, notebook)
    assert earned.fraction >= fraction, earned.message


def verdict(homework: str, id: str, notebook: dict[str, Any]) -> Verdict:
    """Evaluate a question, once per notebook, and return its worst case's verdict."""
    found: dict[str, Verdict] = notebook.setdefault(VERDICTS, {})
    if id not in found:
        found[id] = _verdict(homework, id, notebook)
    return found[id]


def _verdict(homework: str, id: str, notebook: dict[str, Any]) -> Verdict:
    spec, adapters = _staff(homework)
    question = spec.question(id)
    for needed in question.needs:
        if verdict(homework, needed, notebook).fraction < 1:
            return Verdict(0.0, f"This counts only once `{needed}` is right.")
    assert question.ask is not None
    withheld = {name: notebook.pop(name) for name in question.ask.hide if name in notebook}
    try:
        return _worst(question, spec, adapters, notebook)
    finally:
        notebook.update(withheld)


def _worst(
    question: Question, spec: Homework, adapters: Mapping[str, Any], notebook: dict[str, Any]
) -> Verdict:
    assert question.check is not None
    worst = Verdict(1.0, "")
    for number, case in enumerate(inputs.draw(question, submission=ONE_FOR_ALL, secret="bench")):
        reply = evaluate.answer(
            _request(question, number, case),
            adapters=adapters,
            notebook=notebook,
            seed=0,
            cell_names={},
        )
        if reply["status"] != "returned":
            return Verdict(0.0, reply["error"])
        worst = min(worst, question.check(case, decode_value(reply["value"])), key=_by_fraction)
    return worst


def _by_fraction(verdict: Verdict) -> float:
    return verdict.fraction


def _request(question: Question, number: int, case: Inputs) -> dict[str, Any]:
    assert question.ask is not None
    return {
        "question": question.id,
        "number": number,
        "adapter": question.ask.adapter,
        "objects": question.ask.objects,
        "hide": (),  # already taken away: probe would break them for the cells that follow
        "watch": question.ask.watched,
        "reads": "numbers",
        "inputs": encode_value(case),
    }


@cache
def _staff(homework: str) -> tuple[Homework, Mapping[str, Any]]:
    spec: Homework = staff_module(ROOT, homework, "spec").HOMEWORK
    return spec, vars(staff_module(ROOT, homework, "adapters"))
