"""Which mutants of a solution lose marks, and which are shown to be equal to it."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autograder.authoring.contract.agreement import judged
from autograder.authoring.contract.sampling import ALL, Share
from autograder.course import inputs, known_answers
from autograder.course.cells import defined_names
from autograder.course.homework import HomeworkError
from autograder.program.mutants import mutants
from autograder.records.facts import Outcome, SubmissionId
from autograder.records.homework import Homework
from autograder.records.questions import Check, Inputs, Question
from autograder.sandbox.mistake_bank import Variants

SECRET = "mutants"
DRAWS = 100
"""So many further draws of hidden inputs are tried before a mutant is called right."""
EQUAL = 1e-5
"""Of each number, or of one: what differs less need not be judged, which takes a reference's time."""
SMALL = 0.5 * EQUAL
"""Of an array's largest number, which decides the error of its small ones.

A key bias, which softmax cannot see, moves gradients by up to 4.2e-6 of their largest (measured in
hw2 over 300 draws).
"""
SECONDS = 5.0
"""A mutant may loop for ever; the solution's answers take milliseconds."""


@dataclass(frozen=True)
class Tried:
    """What became of one mutant.

    Args:
        cell: The answer cell's id.
        what: What was changed.
        lost: The first question that it loses, or is told that it is wrong; or "".
        differs: Where it loses nothing: a question whose check refuses it for other inputs, and
            where. What the check takes is right, and so is what staff/right.toml has.
        ended: Whether it lost by ending the process, or its time.
        told: Whether it loses no points, and is told which line is wrong.
        source: The whole cell.
    """

    cell: str
    what: str
    lost: str = ""
    differs: str = ""
    ended: bool = False
    told: bool = False
    source: str = ""

    @property
    def survives(self) -> bool:
        """Whether it changes the function and loses nothing."""
        return not self.lost and bool(self.differs)


def tried(course: Path, homework: Homework, *, share: Share = ALL) -> Iterator[Tried]:
    """Yield what becomes of each mutant of each answer cell.

    Args:
        course: The course's folder.
        homework: Its questions.
        share: Of each cell's mutants.
    """
    instructor = known_answers.instructor(course, homework)
    declared = {
        (cell.id, _tree(cell.source))
        for answer in known_answers.right(course, homework)
        for cell in answer.submission.cells
        if cell.role == "answer" and cell.type == "code"
    }
    quick = replace(homework, limits=replace(homework.limits, question_seconds=SECONDS))
    with Variants(quick, instructor) as variants:
        proof = Proof(homework, variants)
        for cell in instructor.cells:
            if cell.role == "answer" and cell.type == "code":
                questions = proof.concerned(defined_names(cell.source))
                # Where the solution itself loses, that a mutant does proves nothing.
                if lost := proof.lost(questions, cell.source)[0]:
                    raise HomeworkError(f"the solution {cell.id!r} does not earn {lost!r} here")
                for mutant in share.of(list(mutants(cell.source))):
                    lost, ended, told = proof.lost(questions, mutant.source)
                    known = bool(lost) or (cell.id, _tree(mutant.source)) in declared
                    differs = "" if known else proof.differs(questions, mutant.source)
                    yield Tried(cell.id, mutant.what, lost, differs, ended, told, mutant.source)


def _tree(source: str) -> str:
    return ast.dump(ast.parse(source))


class Proof:
    """Asks questions of mutants; remembers what the instructor's own answers give."""

    def __init__(self, homework: Homework, variants: Variants) -> None:
        self._homework, self._variants = homework, variants
        self._right: dict[tuple[str, int], tuple[Outcome, ...]] = {}
        self._edges: dict[str, Sequence[tuple[Inputs, Outcome]]] = {}

    def concerned(self, names: frozenset[str]) -> list[Question]:
        """Return the questions about any of these names: those that train only where no other is."""
        asked = [q for q in self._homework.questions if q.ask and names & set(q.ask.objects)]
        # Training takes long, and tells less than a comparison of values where there is one.
        compared = [
            question for question in asked if not (question.check and question.check.trains)
        ]
        return compared or asked

    def lost(self, questions: Sequence[Question], source: str) -> tuple[str, bool, bool]:
        """Return the first question that an answer does not earn, and whether it ended there.

        Where it earns all, the first whose check finds a mistake that costs nothing, and True last.
        """
        told = ""
        for question in questions:
            assert question.check is not None
            cases = self._draw(question, 0)
            (outcomes,) = self._variants.outcomes(question, cases, [source])
            if not _earns(question, cases, outcomes):
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
        """Return the first question whose check takes the solution and not an answer, and where."""
        for question in questions:
            assert question.check is not None
            if question.check.decides:
                continue
            for number in range(1, DRAWS + 1 if self._draw(question, 0)[0] else 2):
                cases = self._draw(question, number)
                (outcomes,) = self._variants.outcomes(question, cases, [source])
                key = question.id, number
                if key not in self._right:
                    (self._right[key],) = self._variants.outcomes(question, cases)
                rights = zip(cases, self._right[key], strict=False)
                if found := _difference(question.check, list(rights), outcomes):
                    return f"{question.id} in another draw, {found}"
            edges = self._edges_of(question)
            if edges:
                cases = [case for case, _ in edges]
                (outcomes,) = self._variants.outcomes(question, cases, [source])
                if found := _difference(question.check, edges, outcomes):
                    return (
                        f"{question.id} at an edge that no hidden input has, {found}; draw such inputs, or "
                        "write the edit into staff/right.toml where both are right"
                    )
        return ""

    def _edges_of(self, question: Question) -> Sequence[tuple[Inputs, Outcome]]:
        """Return inputs at an edge for which the solution gives what the reference does."""
        assert question.check is not None
        if question.id not in self._edges:
            cases = [edge for case in self._draw(question, 1) for edge in edges(case)]
            (outcomes,) = self._variants.outcomes(question, cases) if cases else [()]
            self._edges[question.id] = [
                (case, outcome)
                for case, outcome in zip(cases, outcomes, strict=True)
                if judged(question.check, case, outcome.value)[1] == 1
            ]
        return self._edges[question.id]

    def _draw(self, question: Question, number: int) -> Sequence[Inputs]:
        submission = SubmissionId("mutant", "notebook", str(number))
        return inputs.draw(question, submission=submission, secret=SECRET)


def edges(case: Inputs) -> Iterator[Inputs]:
    """Yield a case with numbers that a drawn one does not have: whole ones, zeros, equal ones.

    Where one number is compared with another, only these show whether `>` should be `>=`.

    Args:
        case: As it is drawn.
    """
    for name, item in case.items():
        if isinstance(item, np.ndarray) and item.dtype.kind == "f" and item.size:
            first = np.broadcast_to(item.reshape(-1)[:1], item.shape)
            for other in (item.round(), np.zeros_like(item), np.sign(item), first.copy()):
                if not np.array_equal(other, item):
                    yield {**case, name: other}


def _earns(question: Question, cases: Sequence[Inputs], outcomes: Sequence[Outcome]) -> bool:
    assert question.check is not None
    return len(outcomes) == len(cases) and all(
        outcome.value is not None and question.check(case, outcome.value).fraction == 1
        for case, outcome in zip(cases, outcomes, strict=True)
    )


def _difference(
    check: Check, rights: Sequence[tuple[Inputs, Outcome]], outcomes: Sequence[Outcome]
) -> str:
    """Return the first case in which a check takes the solution's value and not an answer's."""
    for (case, right), outcome in zip(rights, outcomes, strict=False):
        if (
            not _equal(outcome, right, check)
            and judged(check, case, outcome.value)[1] < 1
            and judged(check, case, right.value)[1] == 1
        ):
            return f"for {_told(case)}: {_given(outcome)}, and the solution gives {_given(right)}"
    return ""


def _told(items: Mapping[str, object]) -> str:
    """Return inputs or values in few words."""
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
    """Whether two answers give the same arrays; a text beside them is no part of the function."""
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
