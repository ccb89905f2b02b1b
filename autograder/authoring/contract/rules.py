"""The homework contract, rule by rule, over one folder of source/."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import numpy as np

from autograder.authoring import hidden_names
from autograder.authoring.contract import (
    branches,
    careless_answers,
    files,
    graded,
    proof,
    sampling,
    visible_and_hidden,
)
from autograder.authoring.contract.careless_answers import KEPT, WAYS
from autograder.authoring.contract.complaint_lines import Heard
from autograder.authoring.contract.proof import Clause, clause, judged
from autograder.authoring.contract.sampling import ALL, Share, draw
from autograder.authoring.leaks.search import Leak
from autograder.authoring.mistakes import named_groups
from autograder.course import homework, inputs, known_answers, solutions
from autograder.course.cells import cells_of, defined_names
from autograder.records.facts import Submission, SubmissionLog
from autograder.records.homework import Cell, Homework
from autograder.records.questions import Question
from autograder.sandbox.supervisor import Sandbox


def clauses(
    course: Path, name: str, *, share: Share = ALL, sandbox: Sandbox | None = None
) -> Iterator[Clause]:
    """Try every rule of the contract on one homework, with a share of the known answers.

    Training takes long, so a share tries it with only one wrong and one right answer. A given
    sandbox must be launched and unused.

    Raises:
        HomeworkError: rule 1 is broken, so nothing else can be tried.

    """
    chosen = homework.load(course, name)
    inputs.complain_of_cases(chosen)
    for read in (known_answers.wrong, known_answers.right):
        read(course, chosen)  # so that a slip in them is reported before anything runs
    with sampling.elsewhere(course, name) as there:
        yield from files.clauses(course, chosen)
        yield drawn_again(chosen, there)
    yield from branches.clauses(course, chosen)
    yield from _asserted(chosen)
    yield from _built_on(course, chosen)
    with contextlib.ExitStack() as stack:
        sandbox = sandbox or stack.enter_context(Sandbox())
        sandbox.expect(chosen)
        instructor = known_answers.instructor(course, chosen)
        log, grade = proof.run(instructor, chosen, sandbox)
        wrong = "; ".join(dict.fromkeys(_other_names(chosen, log)))
        yield clause("1 names agree", "all", wrong, "reference and adapter")
        if wrong:  # in that case no other rule can hold
            return
        runs = stack.enter_context(proof.Runs.open(chosen, sandbox))
        if lost := proof.first_loss(grade):
            cells = homework.read_cells(course / "source" / name / f"{name}.ipynb")
            called = runs.start(instructor, chosen).result()[0].log
            again = graded.run_again(instructor, chosen, runs, log, called)
            reasons = [lost, graded.unsteady(log, log), again, hidden_names.remark(cells)]
            reasons.append("the other rules are tried once it earns full marks")
            wrong = "; ".join(filter(None, reasons))
            yield Clause("2 instructor earns all", "instructor", False, wrong)
            return
        score = f"{grade.score:g} of {grade.possible:g} points, {grade.waiting:g} by hand"
        yield Clause("2 instructor earns all", "instructor", True, score)
        yield from _spoiled(chosen, log)
        yield from named_groups.clauses(course, chosen)
        heard = Heard(chosen)
        yield from graded.clauses(course, chosen, runs, share=share, log=log, heard=heard)
        tried = visible_and_hidden.start(instructor, chosen, runs, heard)
        yield from _careless(instructor, chosen, runs)
        yield from visible_and_hidden.clauses(instructor, chosen, tried, heard)
        if share == ALL:
            yield from _heard(course, chosen, runs, heard)


def answers(course: Path, name: str) -> set[str]:
    """Return the names of the known answers; each is a case of some clauses."""
    chosen = homework.load(course, name)
    both = known_answers.wrong(course, chosen), known_answers.right(course, chosen)
    return {answer.name for kind in both for answer in kind}


def drawn_again(chosen: Homework, there: Future[sampling.Digests]) -> Clause:
    """Check that a separate process draws the same hidden inputs."""
    other = ", ".join(sampling.others(chosen, there))
    wrong = (
        f"{other}: a separate process draws different inputs; draw only from the given generator"
    )
    return clause("9 inputs are drawn again", "all", wrong * bool(other), "the same")


def _other_names(chosen: Homework, log: SubmissionLog) -> Iterator[str]:
    """Find adapters whose values lack a name that the reference returns."""
    for outcome in log.outcomes:
        question = chosen.question(outcome.question)
        if question.check is None or outcome.value is None or question.ask is None:
            continue
        if question.check.reads not in ("numbers", "steps", "alone"):  # these have no names
            continue
        expected = question.check.expected(draw(question, log.submission)[outcome.number])
        named = expected if isinstance(expected, Mapping) else ()
        if lacking := sorted(set(named) - set(outcome.value)):
            given = ", ".join(map(repr, outcome.value)) or "nothing"
            yield (
                f"{question.id}: the reference gives {lacking[0]!r}, and "
                f"{question.ask.adapter or 'a question without an adapter'} gives {given}"
            )


def _asserted(chosen: Homework) -> Iterator[Clause]:
    """For each question that its own test cell or solution decides, explain how to make it strong."""
    detail = (
        "its own test cell runs beside the student's code: give it a check with a reference and "
        "hidden inputs to make it strong"
    )
    yield from (Clause("10 asserted", q.id, True, detail) for q in chosen.questions if q.asserted)
    detail = (
        "the solution is its own reference, so nothing proves it right: give the check a function "
        "of its own, written another way, to make it strong"
    )
    for question in chosen.questions:
        parts = [
            getattr(one, "check", one) for one in (question.check.parts if question.check else ())
        ]
        if any(solutions.is_solution(getattr(part, "reference", None)) for part in parts):
            yield Clause("10 reference", question.id, True, detail)


def _careless(instructor: Submission, chosen: Homework, runs: proof.Runs) -> Iterator[Clause]:
    """Check that the instructor's answers lose once they are careless, in each of the ways."""
    kept = tuple(q for q in chosen.questions if not (q.trains or q.asserted))
    asked = replace(chosen, questions=kept)
    if not any(question.ask for question in kept):
        return
    gradients = any(question.gradients for question in kept)
    ways = WAYS if gradients else WAYS[:-1]
    answers = [careless_answers.careless(instructor, asked, way) for way in ways]
    started = [runs.start(*proof.quiet(answer, asked)) for answer in answers]
    for way, answer, run in zip(ways, answers, started, strict=True):
        _, grade = run.result()
        earned = {one.question for one in grade.marks if one.verdict == "passed"}
        takes = ", ".join(
            question.id
            for question in kept
            if question.id in earned
            and question.ask
            and careless_answers.concerns(way, question, draw(question, answer.id))
        )
        more = "; draw inputs that differ more" * (way is KEPT)
        wrong = f"{takes}: an answer that {way.says} earns everything{more}"
        yield clause("9 careless answers lose", way.says, wrong * bool(takes), "all lose")


def _spoiled(chosen: Homework, log: SubmissionLog) -> Iterator[Clause]:
    """Check that each check refuses the instructor's own values with NaN and the like in them."""
    taken = {q.id: ", ".join(spoiled_taken(q, log)) for q in chosen.questions}
    for id, said in taken.items():
        if said:
            yield Clause("12 spoiled values lose", id, False, f"its check {said}")
    if not any(taken.values()):
        yield Clause("12 spoiled values lose", "checks", True, "all lose")


def spoiled_taken(question: Question, log: SubmissionLog) -> Iterator[str]:
    """Yield the ways to spoil the instructor's own value that a question's check accepts."""
    if question.check is None or question.asserted or question.check.derives:
        return
    cases = draw(question, log.submission)
    tried: set[str] = set()
    for outcome in log.outcomes:
        if outcome.question != question.id or outcome.value is None:
            continue
        for name, item in question.check.graded(outcome.value).items():
            for what, other in _spoil(item):
                how = f"{what} for {name}"
                if how not in tried:
                    tried.add(how)
                    value = {**outcome.value, name: other}
                    said, fraction = judged(question.check, cases[outcome.number], value)
                    if said or fraction == 1:
                        yield f"{said or 'takes'} {how}"


def _spoil(item: object) -> Iterator[tuple[str, object]]:
    """Yield the ways to spoil an array, and the spoiled value."""
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


def _built_on(course: Path, chosen: Homework) -> Iterator[Clause]:
    """For each known mistake, check that every question it costs names the answer it builds on."""
    unsaid: dict[tuple[str, str], str] = {}
    for answer in known_answers.wrong(course, chosen):
        for question, name in built_on_unsaid(chosen, answer):
            unsaid.setdefault((question, name), answer.place)
    for (question, name), mistake in unsaid.items():
        detail = (
            f"{mistake} changes `{name}` and costs {question} without warning: name "
            f"`{name}` in the text of {question}, and its question in `if_right` or "
            "`needs`, or evaluate it with a function of your own"
        )
        yield Clause("13 a mistake costs its own", question, False, detail)
    if not unsaid:
        detail = "or the text names what is built on"
        yield Clause("13 a mistake costs its own", "all", True, detail)


def built_on_unsaid(
    chosen: Homework, answer: known_answers.KnownAnswer
) -> Iterator[tuple[str, str]]:
    """Yield each question that a mistake in an underlying answer costs, and that answer.

    It does not count if the question names the answer in its text and in `needs` or `if_right`.
    """
    changed = defined_names(answer.define)
    answers = [defined_names(cell.source) for cell in chosen.cells if cell.role == "answer"]
    for question in chosen.questions:
        ask = question.ask
        if question.id not in answer.fails or ask is None or not ask.objects:
            continue
        own = next((names for names in answers if ask.objects[-1] in names), None)
        built_on = [name for name in ask.objects if name in changed]
        if own is None or changed & own or not built_on:
            continue
        owners = {q.id for q in chosen.questions if q.ask and q.ask.objects[-1:] == (built_on[0],)}
        declared = bool(owners & {*question.needs, *question.if_right})
        text = _text_of(question, chosen.cells)
        if not declared or not any(re.search(rf"\b{name}\b", text) for name in built_on):
            yield question.id, built_on[0]


def _text_of(question: Question, cells: Sequence[Cell]) -> str:
    """Return the text that a student reads between the previous question and this one's check."""
    before: list[Cell] = []
    for cell in cells:
        if cell.role == "check" and cell.grade_id == question.id:
            own = (c for c in before if c.type == "markdown" or c.role == "answer")
            return "\n".join(c.source for c in own)
        before = [] if cell.role in ("check", "written") else [*before, cell]
    return ""


def _heard(course: Path, chosen: Homework, runs: proof.Runs, heard: Heard) -> Iterator[Clause]:
    """Check that every complaint of the visible checks is triggered by some known answer."""
    alone = replace(heard.homework, questions=())
    unlisted = known_answers.unlisted(course, chosen)
    for answer in (*unlisted, *known_answers.disguised(course, chosen)):
        if any(map(heard.waiting, answer.fails)):
            kept = proof.reach(chosen, answer) | answer.fails
            submission = heard.submission(answer.submission)
            state, _ = runs.start(*proof.quiet(submission, alone, kept)).result()
            heard.listen(state.steps())
    rule, silent = "11 each complaint is triggered", False
    for line in heard.lines:
        if line not in heard.spoke:
            silent = True
            detail = (
                f"no known answer triggers line {line.number} of the cell {line.cell!r}, "
                f"{line.text}: add one to staff/mistakes.toml or "
                "staff/tests/unlisted.toml, or remove the line"
            )
            yield Clause(rule, ", ".join(line.questions), False, detail)
    if not silent:
        unread = f"; no line of the check of {proof.listed(heard.unread)} is known to complain"
        detail = f"{len(heard.lines)} lines{unread * bool(heard.unread)}"
        yield Clause(rule, "all", True, detail)


def leaks(
    course: Path, name: str, given: Mapping[Path, bytes], *, sandbox: Sandbox | None = None
) -> tuple[list[Leak], str]:
    """Return a release's leaks, and the points that the instructor's own answers lose in it."""
    cells = cells_of(json.loads(given[Path(f"{name}.ipynb")]))
    chosen = replace(homework.load(course, name), cells=cells)
    inputs.complain_of_cases(chosen)
    with contextlib.ExitStack() as stack:
        sandbox = sandbox or stack.enter_context(Sandbox())
        sandbox.expect(chosen)
        instructor = known_answers.instructor(course, chosen)
        log, grade = proof.run(instructor, proof.compared(chosen), sandbox)
    secrets = graded.secrets_of(course, chosen, log)
    return secrets.leaks_in_files(given), proof.first_loss(grade)
