"""The deeper half of the contract, which takes minutes: mutants, and mistakes that a class makes.

staff/tests/disguised.toml     known mistakes in other words
staff/tests/unlisted.toml      mistakes that the homework does not know, and words of a message that helps
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.authoring.contract import agreement
from autograder.authoring.contract.mutant_runs import Tried, tried
from autograder.authoring.contract.rules import (
    COURSE,
    Clause,
    executed,
    run,
    touched,
)
from autograder.authoring.contract.sampling import ALL, Share
from autograder.course import homework, known_answers
from autograder.course.cells import defined_names
from autograder.course.known_answers import KnownAnswer
from autograder.marking.mark import mark
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.sandbox.mistake_bank import Bank, bank
from autograder.sandbox.supervisor import Sandbox

ENOUGH = 0.95
"""So many diagnoses of mistakes in other words are right, and none is another mistake's."""
MOST_ENDED = 0.1
"""Of the mutants: more that lose by ending the process or its time prove little."""
# The message on a question that is lost with an earlier one; the mistake is named there.
_ELSEWHERE = re.compile("This counts only when|is not right either: begin there")


def clauses(
    course: Path, name: str, *, share: Share = ALL, tell: Callable[[str], object] = len
) -> Iterator[Clause]:
    """Try every mutant, known mistakes in other words, and mistakes that are not listed.

    Args:
        course: The course's folder.
        name: The homework's.
        share: Of each of these three.
        tell: Called with how far it is, since most mutants have no clause of their own.
    """
    chosen = homework.load(course, name)
    yield from mutants(course, chosen, share=share, tell=tell)
    with Sandbox() as sandbox, bank(course, chosen) as mistakes:
        sandbox.expect(chosen)
        yield from in_other_words(course, chosen, sandbox, mistakes, share=share)
        yield from unlisted(course, chosen, sandbox, mistakes, share=share)


def mutants(
    course: Path, chosen: Homework, *, share: Share = ALL, tell: Callable[[str], object] = len
) -> Iterator[Clause]:
    """Change the solutions in every small way: each loses marks or is the same function."""
    lost = told = equal = survive = ended = 0
    accepted = []
    for number, one in enumerate(tried(course, chosen, share=share), start=1):
        tell(f"{number:,} small changes to the solutions, now in {one.cell}")
        lost += bool(one.lost) and not one.told
        told += one.told
        ended += one.ended
        survive += one.survives
        equal += not (one.lost or one.survives)
        if one.survives:
            detail = f"{one.what} loses nothing, and differs on {one.differs}"
            yield Clause("8 no mutant survives", one.cell, False, detail)
        elif not one.lost:
            accepted.append(one)
            detail = f"{one.what} is the same function, or another right answer"
            yield Clause("8 no mutant survives", one.cell, True, detail)
    detail = f"{lost} lose marks, {equal} are shown to be right, {survive} survive"
    if told:
        detail += f"; {told} are in lines that earn nothing, and are told of it"
    if few := ended <= MOST_ENDED * (lost + equal):
        detail += f"; {ended} of these end the process or its time" * bool(ended)
    else:
        detail += f"; {ended} end the process or its time, which proves little"
    yield from _visible_mutants(course, chosen, accepted)
    yield Clause("8 no mutant survives", "all", lost > 0 and not survive and few, detail)


def _visible_mutants(course: Path, chosen: Homework, accepted: Sequence[Tried]) -> Iterator[Clause]:
    """Say whether the visible checks, too, accept the mutants that the hidden ones accept."""
    instructor = known_answers.instructor(course, chosen)
    alone = replace(chosen, questions=())
    with Sandbox() as sandbox:
        sandbox.expect(chosen)
        for one in accepted:
            changed = known_answers.with_source(instructor, one.cell, one.source)
            state, _ = executed(changed, alone, sandbox)
            found = agreement.visible(state.steps(), chosen)
            names = defined_names(one.source)
            own = {q.id for q in chosen.questions if q.ask and names & set(q.ask.objects)}
            refused = ", ".join(sorted(id for id in own if found.get(id) is False))
            detail = (
                f"{one.what}: the visible check of {refused} refuses what the hidden one accepts"
            )
            if refused:
                yield Clause("8 visible and hidden agree", one.cell, False, detail)


def in_other_words(
    course: Path, chosen: Homework, sandbox: Sandbox, mistakes: Bank, *, share: Share = ALL
) -> Iterator[Clause]:
    """Grade known mistakes as others write them: each is taken for itself, or for none."""
    right = asked = 0
    for answer in share.of(known_answers.disguised(course, chosen)):
        name = answer.written.mistake
        said = list(_diagnoses(answer, chosen, sandbox, mistakes))
        right, asked = right + said.count(name), asked + len(said)
        others = sorted({found for found in said if found not in (None, name)}, key=str)
        detail = f"{said.count(name)} of {len(said)} diagnoses are {name}"
        detail += f", others are {', '.join(map(str, others))}" if others else ""
        yield Clause("4 mistakes in other words", answer.name, not others, detail)
    if asked:
        detail = f"{right} of {asked} diagnoses are right"
        yield Clause("4 mistakes in other words", "all", right >= ENOUGH * asked, detail)


def unlisted(
    course: Path, chosen: Homework, sandbox: Sandbox, mistakes: Bank, *, share: Share = ALL
) -> Iterator[Clause]:
    """Grade mistakes that are not known: the words help, and no name is a wrong one."""
    for answer in share.of(known_answers.unlisted(course, chosen)):
        asked = touched(chosen, answer)
        log, _ = run(answer.submission, asked, sandbox)
        grade = mark(asked, log, COURSE, bank=mistakes)
        lost = {m.question for m in grade.marks if m.verdict in ("failed", "partly")}
        wrong = [
            f"{m.question} is taken for {m.misconception.name}"
            for m in grade.marks
            if m.misconception
        ]
        if lost != answer.fails:
            wrong.append(f"it loses {sorted(lost)}, not {sorted(answer.fails)}")
        wrong += [
            f"{question}: no word of /{words}/ in {_message(grade, question)!r}"
            for question, words in answer.written.words.items()
            if not re.search(words, _message(grade, question))
        ]
        detail = "; ".join(wrong) or "the messages help"
        yield Clause("4 mistakes that are not listed", answer.name, not wrong, detail)


def _message(grade: Grade, question: str) -> str:
    return next(m.message for m in grade.marks if m.question == question)


def _diagnoses(
    answer: KnownAnswer, chosen: Homework, sandbox: Sandbox, mistakes: Bank
) -> Iterator[str | None]:
    """Yield the message on each question that an answer loses for its own values."""
    asked = touched(chosen, answer)
    log, _ = run(answer.submission, asked, sandbox)
    grade = mark(asked, log, COURSE, bank=mistakes)
    named = any(m.misconception for m in grade.marks)
    for m in grade.marks:
        elsewhere = named and _ELSEWHERE.search(m.message)
        if (m.question in answer.fails and not elsewhere) or m.misconception:
            yield m.misconception.name if m.misconception else None
