"""The slow half of the contract, which takes minutes: mutants, and a class's likely mistakes.

staff/tests/disguised.toml has known mistakes in other words, staff/tests/unlisted.toml mistakes
that the homework does not list, with words of a helpful message.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autograder.authoring.contract import graded, proof
from autograder.authoring.contract.proof import Clause, executed, judged, touched
from autograder.authoring.contract.sampling import ALL, Share, draw
from autograder.course import homework, known_answers
from autograder.course.cells import defined_names, parse
from autograder.course.homework import HomeworkError
from autograder.course.known_answers import KnownAnswer
from autograder.marking.mark import mark
from autograder.program import mutants as small_changes
from autograder.records.facts import Outcome
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.records.questions import Array, Check, Inputs, Question
from autograder.sandbox.mistake_bank import Bank, InstructorRun, bank
from autograder.sandbox.supervisor import Sandbox

SECRET = "mutants"
DRAWS = 100
"""The number of further draws of hidden inputs to try before a mutant counts as right."""
EQUAL = 1e-5
"""Tolerance for a number: smaller differences need no judgement, which would take a reference's
time.
"""
SMALL = 0.5 * EQUAL
"""Tolerance relative to an array's largest number, which determines the error of its small ones.

A key bias, which cancels in softmax, moves gradients by up to 4.2e-6 of the largest (measured in
hw2 over 300 draws).
"""
SECONDS = 5.0
"""The time limit for a mutant, which may loop forever; the solution's answers take milliseconds."""
ENOUGH = 0.95
"""The share of diagnoses of reworded mistakes that must be right; none may name the wrong mistake."""
MOST_ENDED = 0.1
"""The largest share of mutants that may lose by a crash or a timeout: more would prove little."""
# The message of a question that fails because of an earlier one; that one has the diagnosis.
_ELSEWHERE = re.compile("This counts only once|is not right either: begin there")


def clauses(
    course: Path, name: str, *, share: Share = ALL, tell: Callable[[str], object] = len
) -> Iterator[Clause]:
    """Try every mutant, known mistakes in other words, and unlisted mistakes.

    `tell` receives the progress, since most mutants have no clause of their own.
    """
    chosen = homework.load(course, name)
    yield from mutants(course, chosen, share=share, tell=tell)
    with Sandbox() as sandbox, bank(course, chosen) as mistakes:
        sandbox.expect(chosen)
        yield from in_other_words(course, chosen, sandbox, mistakes, share=share)
        yield from unlisted(course, chosen, sandbox, mistakes, share=share)


@dataclass(frozen=True)
class Mutant:
    """One change of an answer cell, and what came of it."""

    cell: str
    what: str
    source: str
    lost: str
    """The first question that it loses, or that reports it as wrong; or ""."""
    ended: bool
    """Whether it lost by a crash or a timeout."""
    told: bool
    """Whether it loses no points, but a message names the wrong line."""
    differs: str
    """If it loses nothing: a question, and other inputs for which its check refuses it.

    An answer counts as right if the check accepts it or staff/right.toml lists it.
    """


def mutants(
    course: Path, chosen: Homework, *, share: Share = ALL, tell: Callable[[str], object] = len
) -> Iterator[Clause]:
    """Change the solutions in every small way: each mutant must lose marks or be the same function."""
    found = []
    for one in _mutants(course, chosen, share):
        found.append(one)
        tell(f"{len(found):,} small changes to the solutions, now in {one.cell}")
        if one.differs:
            detail = f"{one.what} loses nothing, but differs on {one.differs}"
            yield Clause("8 no mutant survives", one.cell, False, detail)
        elif not one.lost:
            detail = f"{one.what} is the same function, or a different right answer"
            yield Clause("8 no mutant survives", one.cell, True, detail)
    accepted = [one for one in found if not (one.lost or one.differs)]
    told, ended = (sum(one.told for one in found), sum(one.ended for one in found))
    survive = sum(bool(one.differs) for one in found)
    lost = len(found) - len(accepted) - survive - told
    detail = f"{lost} lose marks, {len(accepted)} are shown to be right, {survive} survive"
    if told:
        detail += f"; {told} are in lines that earn nothing, and are reported"
    if few := ended <= MOST_ENDED * (lost + len(accepted)):
        detail += f"; {ended} of these crash or time out" * bool(ended)
    else:
        detail += f"; {ended} crash or time out, which proves little"
    yield from _visible_mutants(course, chosen, accepted)
    yield Clause("8 no mutant survives", "all", lost > 0 and not survive and few, detail)


def _mutants(course: Path, chosen: Homework, share: Share) -> Iterator[Mutant]:
    instructor = known_answers.instructor(course, chosen)
    right = known_answers.right(course, chosen)
    declared = {
        (cell.id, ast.dump(parse(cell.source)))
        for answer in right
        for cell in answer.submission.cells
        if cell.role == "answer" and cell.type == "code"
    }
    quick = replace(chosen, limits=replace(chosen.limits, question_seconds=SECONDS))
    with InstructorRun(quick, instructor) as variants:
        trial = Trial(chosen, variants, right)
        for cell in instructor.cells:
            if cell.role == "answer" and cell.type == "code":
                questions = trial.concerned(defined_names(cell.source))
                # If the solution itself loses, a losing mutant proves nothing.
                if lost := trial.lost(questions, cell.source)[0]:
                    raise HomeworkError(f"the solution {cell.id!r} does not earn {lost!r} here")
                for one in share.of(list(small_changes.mutants(cell.source))):
                    lost, ended, told = trial.lost(questions, one.source)
                    known = (cell.id, ast.dump(parse(one.source))) in declared
                    differs = "" if lost or known else trial.differs(questions, one.source)
                    yield Mutant(cell.id, one.what, one.source, lost, ended, told, differs)


class Trial:
    """A trial of mutants, which remembers the instructor's results."""

    def __init__(
        self, chosen: Homework, variants: InstructorRun, right: Sequence[KnownAnswer] = ()
    ) -> None:
        self._questions, self._variants = chosen.questions, variants
        self._known = [answer.define for answer in right]
        self._right: dict[tuple[str, int], tuple[Outcome, ...]] = {}
        self._edges: dict[str, Sequence[tuple[Inputs, Outcome]]] = {}

    def concerned(self, names: frozenset[str]) -> list[Question]:
        """Return the questions about these names; trained ones only if there are no others."""
        asked = [q for q in self._questions if q.ask and names & set(q.ask.objects)]
        # Training takes long, and reveals less than a comparison of values.
        return [question for question in asked if not question.trains] or asked

    def lost(self, questions: Sequence[Question], source: str) -> tuple[str, bool, bool]:
        """Return the first question that an answer loses, and whether by a crash or a timeout.

        If it loses none, return the first whose check finds a mistake that costs nothing, with a
        final True.
        """
        told = ""
        for question in questions:
            assert question.check is not None
            cases = draw(question, 0, secret=SECRET)
            (outcomes,) = self._variants.outcomes(question, cases, [source])
            if not proof.earns(question, cases, outcomes):
                ended = any(o.status in ("killed", "timed_out") for o in outcomes)
                return question.id, ended, False
            faults = (
                question.check.fault(case, outcome.value)
                for case, outcome in zip(cases, outcomes, strict=True)
                if outcome.value is not None
            )
            if not told and any(faults):
                told = question.id
        return told, False, bool(told)

    def differs(self, questions: Sequence[Question], source: str) -> str:
        """Return the first question that accepts the solution but not an answer, and where."""
        for question in questions:
            assert question.check is not None
            if question.check.decides:
                continue
            for number in range(1, DRAWS + 1 if draw(question, 0, secret=SECRET)[0] else 2):
                cases = draw(question, number, secret=SECRET)
                (outcomes,) = self._variants.outcomes(question, cases, [source])
                key = question.id, number
                if key not in self._right:
                    (self._right[key],) = self._variants.outcomes(question, cases)
                rights = list(zip(cases, self._right[key], strict=False))
                if found := _difference(question.check, rights, outcomes):
                    return f"{question.id} in another draw, {found}"
            if edges := self._edges_of(question):
                cases = [case for case, _ in edges]
                (outcomes,) = self._variants.outcomes(question, cases, [source])
                if found := _difference(question.check, edges, outcomes):
                    return (
                        f"{question.id} at an edge that no hidden input reaches, "
                        f"{found}; draw such inputs, or write the edit into "
                        "staff/right.toml if both are right"
                    )
        return ""

    def _edges_of(self, question: Question) -> Sequence[tuple[Inputs, Outcome]]:
        """Return edge-case inputs for which the solution, and all known right answers, are right."""
        assert question.check is not None
        assert question.ask is not None
        if question.id not in self._edges:
            cases = [edge for case in draw(question, 1, secret=SECRET) for edge in edges(case)]
            names = set(question.ask.objects)
            known = [source for source in self._known if names & defined_names(source)]
            answers = self._variants.outcomes(question, cases) if cases else [()]
            if cases and known:
                answers += self._variants.outcomes(question, cases, known)
            self._edges[question.id] = [
                (case, outcomes[0])
                for case, outcomes in zip(cases, zip(*answers, strict=False), strict=False)
                if all(judged(question.check, case, one.value)[1] == 1 for one in outcomes)
            ]
        return self._edges[question.id]


def edges(case: Inputs) -> Iterator[Inputs]:
    """Yield variants of a case with unusual numbers: integers, zeros, equal ones.

    When numbers are compared, only these show whether `>` should be `>=`.
    """
    for name, item in case.items():
        if isinstance(item, np.ndarray) and item.dtype.kind == "f" and item.size:
            first = np.broadcast_to(item.reshape(-1)[:1], item.shape)
            for other in (item.round(), np.zeros_like(item), np.sign(item), first.copy()):
                if not np.array_equal(other, item) and _is_grid(other) >= _is_grid(item):
                    yield {**case, name: other}


def _is_grid(item: Array) -> bool:
    """Return whether numbers increase, like times: unusual ones would be meaningless there."""
    return item.ndim == 1 and item.size > 3 and bool(np.all(np.diff(item) > 0))


def _difference(
    check: Check, rights: Sequence[tuple[Inputs, Outcome]], outcomes: Sequence[Outcome]
) -> str:
    """Return the first case in which a check accepts the solution's value but not an answer's."""
    for (case, right), outcome in zip(rights, outcomes, strict=False):
        if (
            not _equal(outcome, right, check)
            and judged(check, case, outcome.value)[1] < 1
            and judged(check, case, right.value)[1] == 1
        ):
            return f"for {_told(case)}: {_given(outcome)}, and the solution gives {_given(right)}"
    return ""


def _told(items: Mapping[str, object]) -> str:
    """Return inputs or values in a few words."""
    return ", ".join(f"{name} = {_short(item)}" for name, item in items.items())


def _short(item: object) -> str:
    with np.printoptions(threshold=8, precision=6):
        text = str(item) if isinstance(item, np.ndarray) else repr(item)
    return " ".join(text.split())[:120]


def _given(outcome: Outcome) -> str:
    if outcome.value is None:
        return f"{outcome.status} {outcome.error.split(chr(10))[0]}".strip()
    return ", ".join(map(_short, outcome.value.values()))


def _equal(mine: Outcome, theirs: Outcome, check: Check) -> bool:
    """Return whether two answers give the same arrays; accompanying texts do not count."""
    if mine.value is None or theirs.value is None:
        return False
    got, right = check.graded(mine.value), check.graded(theirs.value)
    arrays = {name: item for name, item in right.items() if isinstance(item, np.ndarray)}
    return bool(arrays) and all(
        np.shape(got.get(name, ())) == item.shape
        and np.allclose(
            got[name], item, rtol=EQUAL, atol=max(EQUAL, SMALL * np.abs(item).max(initial=0.0))
        )
        for name, item in arrays.items()
    )


def _visible_mutants(
    course: Path, chosen: Homework, accepted: Sequence[Mutant]
) -> Iterator[Clause]:
    """Yield a clause for each mutant that hidden checks accept but a visible check refuses."""
    instructor = known_answers.instructor(course, chosen)
    alone = replace(chosen, questions=())
    with Sandbox() as sandbox:
        sandbox.expect(chosen)
        for one in accepted:
            changed = known_answers.with_source(instructor, one.cell, one.source)
            state, _ = executed(changed, alone, sandbox)
            refused = graded.refusals(graded.visible(state.steps(), chosen))
            names = defined_names(one.source)
            own = {q.id for q in chosen.questions if q.ask and names & set(q.ask.objects)}
            if said := graded.only_visible(own & refused):
                yield Clause("8 visible and hidden agree", one.cell, False, f"{one.what}: {said}")


def in_other_words(
    course: Path, chosen: Homework, sandbox: Sandbox, mistakes: Bank, *, share: Share = ALL
) -> Iterator[Clause]:
    """Grade known mistakes in other words: each must be recognised as itself, or not at all."""
    right = asked = 0
    for answer in share.of(known_answers.disguised(course, chosen)):
        name = answer.written.mistake
        said = list(_diagnoses(answer, chosen, sandbox, mistakes))
        right, asked = right + said.count(name), asked + len(said)
        others = proof.listed({found for found in said if found and found != name})
        detail = f"{said.count(name)} of {len(said)} diagnoses are {name}"
        detail += f", others are {others}" if others else ""
        yield Clause("4 mistakes in other words", answer.name, not others, detail)
    if asked:
        detail = f"{right} of {asked} diagnoses are right"
        yield Clause("4 mistakes in other words", "all", right >= ENOUGH * asked, detail)


def unlisted(
    course: Path, chosen: Homework, sandbox: Sandbox, mistakes: Bank, *, share: Share = ALL
) -> Iterator[Clause]:
    """Grade unlisted mistakes: the messages must help, and no wrong mistake may be named."""
    for answer in share.of(known_answers.unlisted(course, chosen)):
        grade = _diagnosed(answer, chosen, sandbox, mistakes)
        messages = {m.question: m.message for m in grade.marks}
        lost = proof.lost(grade)
        wrong = [
            f"{m.question} is taken for {m.misconception.name}"
            for m in grade.marks
            if m.misconception
        ]
        if lost != answer.fails:
            wrong.append(f"it loses {sorted(lost)}, not {sorted(answer.fails)}")
        wrong += [
            f"{question}: no match for /{words}/ in {messages[question]!r}"
            for question, words in answer.written.words.items()
            if not re.search(words, messages[question])
        ]
        rule = "4 mistakes that are not listed"
        yield proof.clause(rule, answer.name, "; ".join(wrong), "the messages help")


def _diagnosed(answer: KnownAnswer, chosen: Homework, sandbox: Sandbox, mistakes: Bank) -> Grade:
    asked = touched(chosen, answer)
    log, _ = proof.run(answer.submission, asked, sandbox)
    return mark(asked, log, proof.COURSE, bank=mistakes)


def _diagnoses(
    answer: KnownAnswer, chosen: Homework, sandbox: Sandbox, mistakes: Bank
) -> Iterator[str | None]:
    """Yield the message on each question that an answer loses by its own values."""
    grade = _diagnosed(answer, chosen, sandbox, mistakes)
    named = any(m.misconception for m in grade.marks)
    for m in grade.marks:
        elsewhere = named and _ELSEWHERE.search(m.message)
        if (m.question in answer.fails and not elsewhere) or m.misconception:
            yield m.misconception.name if m.misconception else None
