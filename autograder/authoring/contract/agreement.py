"""Do the visible checks and the hidden ones agree, and can a careless answer earn anything?"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from autograder.authoring.contract import branches
from autograder.authoring.contract.careless import DETACHED, WAYS, Way, concerned, repeats_a_shape
from autograder.course import inputs
from autograder.course.cells import defined_names
from autograder.course.known_answers import KnownAnswer
from autograder.program.build import Step
from autograder.records.facts import SubmissionLog
from autograder.records.homework import Cell, Homework
from autograder.records.marks import Grade
from autograder.records.questions import Check, Inputs, Question, Value

Drawn = Mapping[str, Sequence[Inputs]]
_GRADIENTS = re.compile(r"gradient|differentiab|backpropag", re.IGNORECASE)
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def visible(steps: Sequence[Step], homework: Homework) -> dict[str, bool]:
    """Return for each question whose check cell ran whether that has no complaint."""
    checks = {cell.id: cell.grade_id for cell in homework.cells if cell.role == "check"}
    found: dict[str, bool] = {}
    for step in steps:
        question = checks.get(step.stands_for or "")
        text = "".join(str(output.get("text", "")) for output in step.cell.outputs)
        if question and f"[{question}] " in text:
            found[question] = f"[{question}] passed" in text
    return found


def silent(seen: Mapping[str, bool], lost: Collection[str], homework: Homework) -> frozenset[str]:
    """Return the lost questions of which no visible check tells a student.

    Where the check of an answer that a question is built on refuses it, a student knows where to begin.
    """
    refused = {id for id, good in seen.items() if not good}
    built_on = {q.id: {*q.needs, *q.if_right} for q in homework.questions}
    return frozenset(id for id in lost if seen.get(id) and not refused & built_on[id])


def disagreement(steps: Sequence[Step], homework: Homework, grade: Grade) -> str:
    """Return which question's visible check refuses what the hidden one accepts; "" for none."""
    earned = {mark.question for mark in grade.marks if mark.verdict == "passed"}
    refused = {question for question, passes in visible(steps, homework).items() if not passes}
    return ", ".join(sorted(earned & refused))


def kept(homework: Homework, grade: Grade, way: Way, drawn: Drawn) -> list[str]:
    """Return the questions that an answer earns although it is careless in this way."""
    earned = {mark.question for mark in grade.marks if mark.verdict == "passed"}
    return [q.id for q in concerned(homework, way, drawn) if q.id in earned]


def ways(homework: Homework) -> list[Way]:
    """Return the ways of being careless that concern a homework."""
    gradients = any(question.gradients for question in homework.questions)
    return [way for way in WAYS if way is not DETACHED or gradients]


def undeclared(homework: Homework, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield each question whose text speaks of gradients where spec.py does not declare whether they count."""
    texts = [_FENCED.sub("", cell.source) for cell in cells if cell.type == "markdown"]
    paragraphs = [paragraph for text in texts for paragraph in text.split("\n\n")]
    for question in homework.questions:
        if question.ask is None or question.gradients is not None or question.trains:
            continue
        if question.asserted:
            continue
        names = {question.id, question.ask.objects[-1]}
        spoken = (p for p in paragraphs if any(f"`{name}" in p for name in names))
        if any(map(_GRADIENTS.search, spoken)):
            yield question.id


def without_a_repeat(homework: Homework, draw: branches.Draw) -> Iterator[str]:
    """Yield each question of which some draw has no two cases of one shape with other values."""
    for question in homework.questions:
        if question.ask and not question.trains and not _decides(question):
            for number in range(branches.DRAWS):
                cases = draw(question, number)
                if any(cases) and not repeats_a_shape(cases):
                    yield question.id
                    break


def _decides(question: Question) -> bool:
    return question.check is not None and question.check.decides


def missed_branches(
    course: Path, homework: Homework, draw: branches.Draw, cells: Sequence[Cell]
) -> Iterator[tuple[str, str]]:
    """Yield a question and the branch of its reference that a draw of its cases leaves out."""
    staff = course / "source" / homework.name / "staff"
    yield from branches.missed(staff, homework, draw, cells)


def spoiled_taken(question: Question, log: SubmissionLog, secret: str) -> Iterator[str]:
    """Yield in what way a question's check takes the instructor's own value, spoiled."""
    if question.check is None or question.asserted or question.check.derives:
        return
    cases = inputs.draw(question, submission=log.submission, secret=secret)
    tried: set[str] = set()
    for outcome in log.outcomes:
        if outcome.question != question.id or outcome.value is None:
            continue
        for name, item in question.check.graded(outcome.value).items():
            for what, other in _spoiled(item):
                how = f"{what} for {name}"
                if how not in tried:
                    tried.add(how)
                    value = {**outcome.value, name: other}
                    said, fraction = judged(question.check, cases[outcome.number], value)
                    if said or fraction == 1:
                        yield f"{said or 'takes'} {how}"


def judged(check: Check, case: Inputs, value: Value | None) -> tuple[str, float]:
    """Return "" and what a value earns, or that a check raises on it, and 0."""
    if value is None:
        return "", 0.0
    try:
        with np.errstate(all="ignore"):
            return "", check(case, value).fraction
    except Exception as error:
        return f"raises {type(error).__name__} on", 0.0


def _spoiled(item: object) -> Iterator[tuple[str, object]]:
    if not isinstance(item, np.ndarray) or not item.size:
        return
    if item.dtype.kind == "f":
        for word, number in (("NaN", np.nan), ("infinity", np.inf)):
            one = item.copy()
            one.flat[-1] = number
            yield f"{word} in a number's place", one
        yield "NaN in every number's place", np.full(item.shape, np.nan)
    yield "None", None
    yield "an empty array", item.reshape(-1)[:0]
    yield "text", "text"


def built_on_unsaid(homework: Homework, answer: KnownAnswer) -> Iterator[tuple[str, str]]:
    """Yield a question that a mistake in another answer costs, and the answer that its text does not name."""
    changed = defined_names(answer.define)
    for question in homework.questions:
        ask = question.ask
        if question.id not in answer.fails or ask is None or not ask.objects:
            continue
        own = [
            defined_names(cell.source)
            for cell in homework.cells
            if cell.role == "answer" and ask.objects[-1] in defined_names(cell.source)
        ]
        built_on = [name for name in ask.objects if name in changed]
        if not own or changed & own[0] or not built_on:
            continue
        owners = {
            q.id for q in homework.questions if q.ask and q.ask.objects[-1:] == (built_on[0],)
        }
        declared = bool(owners & {*question.needs, *question.if_right})
        text = _text_of(question, homework.cells)
        if not declared or not any(re.search(rf"\b{name}\b", text) for name in built_on):
            yield question.id, built_on[0]


def _text_of(question: Question, cells: Sequence[Cell]) -> str:
    """Return what a student reads from the question before to a question's check."""
    places = [
        n for n, cell in enumerate(cells) if cell.grade_id == question.id and cell.role == "check"
    ]
    if not places:
        return ""
    before = [n for n in range(places[0]) if cells[n].role in ("check", "written")]
    own = cells[before[-1] + 1 if before else 0 : places[0]]
    return "\n".join(c.source for c in own if c.type == "markdown" or c.role == "answer")
