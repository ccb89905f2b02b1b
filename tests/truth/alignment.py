"""Right notebooks, mangled as by people and tools, keep their marks or explain the loss."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from autograder.authoring.calibrate.table import Table
from autograder.course import homework as homeworks
from autograder.course.cells import defined_names
from autograder.marking.judge import judge
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.questions import Question
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover, reading
from tests.helpers import ROOT, SECRET, executed, sentences
from tests.truth import edits

ENOUGH = 0.995
SEQUENCES = 300
"""For each homework, of edits that no other one gets, since they try the tool more than the notebook."""
SLOW_EVERY = 100
"""Trained and heavy questions are evaluated for every hundredth sequence of each process only."""


@dataclass(frozen=True)
class Mangled:
    """What became of one mangled notebook.

    Args:
        number: Which random sequence.
        done: The names of its edits and of its export.
        lost: Questions that lost marks, and why.
        flagged: Whether a repair names each answer that lost, or the refusal says why.
    """

    number: int
    done: tuple[str, ...]
    lost: tuple[str, ...]
    flagged: bool


def sequences(homework: Homework) -> range:
    """Return the numbers of the random sequences that are a homework's own."""
    place = homeworks.names(ROOT).index(homework.name)
    return range(place * SEQUENCES, (place + 1) * SEQUENCES)


def alignment(course: Path, homework: Homework, *, numbers: Sequence[int]) -> Table:
    """Grade the random sequences with these numbers, on two processors."""
    table = Table(f"{homework.name}: right notebooks after random edits")
    halves = [numbers[0::2], numbers[1::2]]
    with ProcessPoolExecutor(max_workers=2) as pool:
        graded = pool.map(_grade_all, [course] * 2, [homework.name] * 2, halves)
        found = sorted((item for half in graded for item in half), key=lambda item: item.number)
    table.tried = len(found)
    lost = [item for item in found if item.lost]
    silent = [item for item in lost if not item.flagged]
    kept = len(found) - len(lost)
    edited = Counter(name for item in found for name in item.done)
    table.lines += [
        f"{kept:,} of {len(found):,} keep all marks, {len(lost) - len(silent)} lose some and are "
        f"flagged, {len(silent)} lose some in silence",
        f"trained and heavy questions: in {sum(-(-len(h) // SLOW_EVERY) for h in halves)} of them",
        f"{len(edited)} kinds of edits and exports, each at least {min(edited.values())} times",
    ]
    for item in lost:
        table.lines.append(f"number {item.number} ({', '.join(item.done)}): {'; '.join(item.lost)}")
    if kept < ENOUGH * len(found):
        table.short.append(f"only {kept} of {len(found)} keep their marks")
    table.short += [f"number {item.number} loses marks in silence" for item in silent]
    return table


def _grade_all(course: Path, name: str, numbers: Sequence[int]) -> list[Mangled]:
    """Grade some sequences in a sandbox of their own."""
    homework = homeworks.load(course, name)
    with Sandbox() as sandbox, TemporaryDirectory() as folder:
        sandbox.expect(homework)
        return list(_graded(course, homework, numbers, sandbox, Path(folder)))


def _graded(
    course: Path, homework: Homework, numbers: Sequence[int], sandbox: Sandbox, folder: Path
) -> Iterator[Mangled]:
    release = json.loads(
        (course / "release" / homework.name / f"{homework.name}.ipynb").read_text(encoding="utf-8")
    )
    right = edits.right_notebook(course, homework.name)
    points = {q.id: None if q.by_hand else q.points for q in homework.questions}
    quick = _without_slow(homework)
    for place, number in enumerate(numbers):
        done, suffix, data = edits.sequence(right, release, np.random.default_rng(number))
        path = folder / f"number_{number}{suffix}"
        path.write_bytes(data)
        asked = quick if place % SLOW_EVERY else homework
        lost, flagged = _lost(path, asked, sandbox, points)
        path.unlink()
        yield Mangled(number, tuple(done), lost, flagged)


def _without_slow(homework: Homework) -> Homework:
    """Leave out trained and heavy questions, and those that build on them."""
    left: dict[str, Question] = {}
    for question in homework.questions:
        check, earlier = question.check, {*question.needs, *question.if_right}
        if not (check and (check.trains or check.heavy)) and earlier <= left.keys():
            left[question.id] = question
    return replace(homework, questions=tuple(left.values()))


def _lost(
    path: Path, homework: Homework, sandbox: Sandbox, points: dict[str, float | None]
) -> tuple[tuple[str, ...], bool]:
    """Return which questions lost marks and why, and whether the loss is flagged."""
    found, complaints = discover.find([path])
    try:
        (item,) = found
        submission = reading.read(item, homework)
    except (UserError, ValueError) as error:
        return (f"refused: {error} {complaints}",), True
    log, _ = executed(submission, homework, sandbox=sandbox)
    grade = judge(homework, replace(log), secret=SECRET)
    lost = [mark for mark in grade.marks if mark.earned != points[mark.question]]
    said = tuple(f"{mark.question}: {' '.join(mark.message.split())[:200]}" for mark in lost)
    return said, all(_named(homework, mark.question, sentences(log.repairs)) for mark in lost)


def _named(homework: Homework, question: str, repairs: Sequence[str]) -> bool:
    """Return whether a repair names the answer that a question is about."""
    ask = homework.question(question).ask
    objects = set(ask.objects) if ask else set()
    cells = {cell.id for cell in homework.cells if objects & defined_names(cell.source)}
    return any(name in repair for repair in repairs for name in objects | cells | {question})
