"""Named groups of wrong answers, compared with the solution and the known mistakes."""

from collections.abc import Iterator
from pathlib import Path

from autograder.authoring.contract.proof import Clause, clause
from autograder.course import homework, inputs, known_answers
from autograder.course.cells import defined_names
from autograder.records import digests
from autograder.records.homework import Homework
from autograder.records.marks import NamedGroup
from autograder.sandbox.mistake_bank import InstructorRun


def clauses(course: Path, chosen: Homework) -> Iterator[Clause]:
    """Check that answers can belong to each named group, and that no known mistake covers it."""
    if not chosen.named:
        return
    wrong = known_answers.wrong(course, chosen)
    with InstructorRun(chosen, known_answers.instructor(course, chosen)) as runs:
        for group in chosen.named:
            said = _wrong(chosen, group, wrong, runs)
            yield clause("4 named groups", group.name, said, f"{group.question}: {group.sentence}")


def _wrong(
    chosen: Homework, group: NamedGroup, wrong: list[known_answers.KnownAnswer], runs: InstructorRun
) -> str:
    question = chosen.question(group.question)
    if question.ask is None or inputs.common(question).digest != group.inputs:
        return (
            f"{group.question} draws different inputs now, so no answer belongs to this "
            f"group; name it again, or remove its table from {homework.NAMED}"
        )
    objects = {*question.ask.objects}
    known = [one for one in wrong if objects & defined_names(one.define)]
    cases = inputs.common(question).cases
    found = runs.outcomes(question, cases)
    found += runs.outcomes(question, cases, [one.define for one in known]) if known else []
    for name, outcomes in zip(["", *(one.name for one in known)], found, strict=True):
        if digests.alike(group.values, tuple(map(digests.digest, outcomes))):
            what = f"the known mistake {name}" if name else "the solution"
            return f"{what} gives the same result; remove the table from {homework.NAMED}"
    return ""
