"""The program to run, built from a student's notebook and the release, with a list of repairs.

The student's answers and added cells stay where they are. An edited provided cell runs in the
student's version and then as released; a deleted one comes back; one that is too low also runs
above the cells that need it. Cells that only illustrate are skipped, unless an answer uses them.
Nothing else in the student's notebook (tests, tags, metadata, kernel) matters. `match.py` finds the
released cell for each cell; `repair.py` joins answers in pieces and recovers those in text cells.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.course.cells import defines, parsed, used_names
from autograder.program.match import (
    Pair,
    as_given,
    by_hand,
    code,
    has_words,
    is_answer,
    is_foreign,
    is_piece,
    is_stub,
    match,
    may_bind,
)
from autograder.program.repair import repair
from autograder.program.written_answers import in_its_cell
from autograder.records.facts import Remark, Submission
from autograder.records.homework import Cell, Homework

NO_ANSWERS = "It contains no answer of this homework."
FOREIGN = "It contains hardly any of this homework: does it belong to a different one?"
UNRELATED = (
    "Your notebook contains nothing of this homework: it was not run and earns no points. If you picked "
    "the wrong file, submit the notebook of this homework."
)
NOT_RUN = (
    "it contains nothing of this homework and was not run: it may belong to a different homework"
)
OTHER_LANGUAGE = "It is a notebook in {}; this homework is in Python."
_MANY_ANSWERS = 4
"""If there are this many answers, one that only matches by name may be something else."""
_GIVEN = re.compile(r"^# @title Given:|\bNotImplementedError\b|# YOUR CODE HERE", re.MULTILINE)
"""Text that still identifies a homework's notebook after Colab has removed its metadata."""


@dataclass(frozen=True)
class Step:
    """One cell of the program."""

    cell: Cell
    name: str
    runs: bool
    added: bool = False  # not in the release, or changed from it
    stands_for: str | None = None  # the id of the released cell that it replaces
    own: bool = False  # written by the student: an answer, or an added cell


@dataclass(frozen=True)
class Program:
    """The program for a submission; no step runs if the submission is unrelated."""

    steps: tuple[Step, ...]  # in the order of the student's notebook
    stops: Mapping[str, int] = field(default_factory=dict)
    """Machine-marked question -> number of the step with its check cell."""
    repairs: tuple[Remark, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    """Hand-marked question -> "answered", "unchanged", "empty" or "missing"."""
    candidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Hand-marked question -> texts that may be its answer, if there are several."""
    unrelated: bool = False


def build(submission: Submission, homework: Homework, *, all_cells: bool = False) -> Program:
    """Return the program that grades a submission; `all_cells` includes those that illustrate."""
    release = homework.cells
    cells, repairs = repair(submission.cells, release, mend=homework.mend)
    foreign = submission.id.kind == "notebook" and is_foreign(cells, release)
    if foreign and _has_nothing(cells, submission.helpers, homework):
        return _unrelated(submission, homework)
    pairs = match(cells, release)
    demos = [cell for cell in release if cell.type == "code" and cell.role == "demo"]
    used = [] if all_cells else _used(demos, pairs, release)
    skipped = frozenset(cell.id for cell in demos if not all_cells and cell not in used)
    placed, more = _place(pairs, release, skipped)
    repairs += more
    doubled = _doubled(pairs, release)
    repairs += [
        f"{said}: the one above its check counts, or the last one if that is better."
        for said in doubled
    ]
    repairs += _put_back(placed, release, skipped)
    repairs += _run_earlier(placed, release)
    answers = [answer for answer in release if is_answer(answer)]
    lost = [answer for answer in answers if not any(_stands_for(p, answer) for p in pairs)]
    if answers and submission.language and not _in_python(pairs, answers):
        repairs.insert(0, OTHER_LANGUAGE.format(submission.language))
    elif answers and lost == answers:
        repairs.insert(0, NO_ANSWERS)
    few = foreign and 2 * len(lost) > len(answers)
    repairs[:0] = [FOREIGN] * few
    repairs += [_lost(answer, pairs) for answer in lost]
    remarks = [Remark("student", said) for said in repairs]
    remarks += [Remark("staff", said) for said in [FOREIGN] * few + doubled]
    remarks += [Remark("author", f"An answer uses what the demo {c.id!r} defines.") for c in used]
    marked = [question.id for question in homework.questions if question.by_hand]
    found = {question: in_its_cell(question, pairs) for question in marked}
    checks: dict[str | None, str | None]
    checks = {cell.id: cell.grade_id for cell in release if cell.role == "check"}
    own = {cell.id for cell in release if is_answer(cell) or by_hand(cell)}
    stops = ((checks.get(step.stands_for), number) for number, step in enumerate(placed))
    return Program(
        tuple(replace(step, own=step.added or step.stands_for in own) for step in placed),
        {question: number for question, number in stops if question},
        () if submission.id.kind == "log" else tuple(dict.fromkeys(remarks)),
        {question: state for question, (state, _) in found.items()},
        {question: texts for question, (_, texts) in found.items() if len(texts) > 1},
    )


def _has_nothing(cells: Sequence[Cell], helpers: Mapping[str, str], homework: Homework) -> bool:
    """Return whether a notebook that lacks a homework's text is sure to have no answer to it.

    A different homework's notebook may use one of its names for something else. In a student's own
    notebook without any homework's cells, a text may be a written answer.
    """
    code = [cell.source for cell in cells if cell.type == "code"] + [*helpers.values()]
    names = {name for cell in homework.cells if is_answer(cell) for name in defines(cell)}
    found = names & may_bind(code)
    assigned = any(cell.grade_id for cell in cells) or any(map(_GIVEN.search, code))
    if not assigned and any(cell.type == "markdown" and has_words(cell) for cell in cells):
        return False
    few = 1 if len(names) >= _MANY_ANSWERS else 0
    return bool(names) and len(found) <= few and not as_given(code, homework.cells)


def _unrelated(submission: Submission, homework: Homework) -> Program:
    language = submission.language
    return Program(
        tuple(Step(cell, "your own cell", runs=False, added=True) for cell in submission.cells),
        repairs=(
            Remark("student", UNRELATED),
            *([Remark("student", OTHER_LANGUAGE.format(language))] if language else ()),
            Remark("staff", NOT_RUN),
        ),
        written={question.id: "missing" for question in homework.questions if question.by_hand},
        unrelated=True,
    )


def _stands_for(pair: Pair, answer: Cell) -> bool:
    """Return whether a cell answers a released cell; code that is not Python defines nothing."""
    cell, released = pair
    if defines(cell) & defines(answer):
        return True
    if released is answer and not defines(answer):  # it must define a function
        return bool(cell.source.strip())
    return released is answer and bool(cell.source.strip()) and parsed(cell.source) is None


def _in_python(pairs: Sequence[Pair], answers: Sequence[Cell]) -> bool:
    readable = [pair for pair in pairs if parsed(pair.cell.source)]
    return any(_stands_for(pair, answer) for pair in readable for answer in answers)


def _lost(answer: Cell, pairs: Sequence[Pair]) -> str:
    if any(released is answer and cell.source.strip() for cell, released in pairs):
        names = ", ".join(sorted(defines(answer)))
        return f"There is no def or class {names} in the answer cell {answer.id!r}."
    return f"The answer cell {answer.id!r} was not found."


def _used(demos: Sequence[Cell], pairs: Sequence[Pair], release: Sequence[Cell]) -> list[Cell]:
    """Return the demos that an answer needs: its code may have been merged with theirs."""
    elsewhere = {name for cell in release if cell not in demos for name in defines(cell)}
    elsewhere |= {
        name for cell, released in pairs if released not in demos for name in defines(cell)
    }
    offered = {name for cell in demos for name in defines(cell)} - elsewhere
    answers = [
        cell
        for cell, released in pairs
        if released and is_answer(released) and any(name in cell.source for name in offered)
    ]
    missing = {name for cell in answers for name in used_names(cell.source)} - elsewhere
    used: list[Cell] = []
    while more := [cell for cell in demos if cell not in used and defines(cell) & missing]:
        used += more
        missing |= {name for cell in more for name in used_names(cell.source)} - elsewhere
    return used


def _place(
    pairs: Sequence[Pair], release: Sequence[Cell], skipped: frozenset[str]
) -> tuple[list[Step], list[str]]:
    """Turn each of the student's cells into the steps that replace it."""
    placed: list[Step] = []
    repairs: list[str] = []
    answered = _answered(pairs, release)
    added = 0
    for cell, released in pairs:
        if released is None:
            added += cell.type == "code"
            runs = cell.type == "code" and bool(cell.source.strip())
            placed.append(Step(cell, f"your own code cell {added}", runs, added=True))
            continue
        id, name = released.id, f"the cell {released.id!r}"
        runs = id not in skipped
        if cell.type != "code" or released.type != "code":
            # If provided code was turned into text, it is missing from its place.
            stands_for = id if released.type != "code" else None
            placed.append(Step(cell, name, False, stands_for=stands_for))
        elif is_answer(released):
            wanted = defines(released)
            runs = not (is_stub(cell, released) and wanted and wanted <= answered)
            if not runs:
                repairs.append(f"An empty copy of the answer cell {id!r} was left out.")
            placed.append(Step(cell, name, runs, stands_for=id))
        elif by_hand(released):  # code that a person marks; if unchanged, it only raises
            runs = bool(cell.source.strip()) and code(cell) != code(released)
            placed.append(Step(cell, name, runs, stands_for=id))
        elif is_piece(cell, released):
            first = not any(step.stands_for == id for step in placed)
            kept = replace(released, outputs=cell.outputs) if first else cell
            placed.append(Step(kept, name, first and runs, stands_for=id))
            then = ": it ran as given" if runs else ""
            repairs.append(f"The provided cell {id!r} was cut{then}.")
        else:
            changed = code(cell) != code(released)
            if changed:
                placed.append(Step(cell, f"your version of the cell {id!r}", True, added=True))
                ran = "both your version and the original ran" if runs else "your version ran"
                repairs.append(f"The provided cell {id!r} was changed: {ran}.")
            if runs or not changed:
                kept = replace(released, outputs=cell.outputs)
                placed.append(Step(kept, name, runs, stands_for=id))
    return placed, repairs


def _answered(pairs: Sequence[Pair], release: Sequence[Cell]) -> frozenset[str]:
    answers = [cell for cell in release if is_answer(cell)]
    return frozenset(
        name
        for pair in pairs
        for answer in answers
        for name in defines(pair.cell) & defines(answer)
        if not is_stub(pair.cell, answer)
    )


def _doubled(pairs: Sequence[Pair], release: Sequence[Cell]) -> list[str]:
    repairs = []
    for answer in filter(is_answer, release):
        for name in sorted(defines(answer)):
            versions = {
                code(cell)
                for cell, _ in pairs
                if name in defines(cell) and not is_stub(cell, answer)
            }
            if len(versions) > 1:
                repairs.append(f"`{name}` is defined in {len(versions)} cells")
    return repairs


def _put_back(placed: list[Step], release: Sequence[Cell], skipped: frozenset[str]) -> list[str]:
    """Insert each missing released cell between its neighbours; return a sentence about each."""
    repairs = []
    order = {cell.id: number for number, cell in enumerate(release)}
    present = {step.stands_for for step in placed}
    for number, cell in enumerate(release):
        if cell.type != "code" or cell.id in skipped | present:
            continue
        if is_answer(cell) or by_hand(cell):
            continue
        numbers = [(i, order[s.stands_for]) for i, s in enumerate(placed) if s.stands_for]
        before = [i for i, other in numbers if other < number]
        after = [i for i, other in numbers if other > number]
        place = before[-1] + 1 if before else 0
        if cell.role == "provided" and after:
            place = min(place, after[0])
        placed.insert(place, Step(cell, f"the cell {cell.id!r}", True, stands_for=cell.id))
        repairs.append(f"The provided cell {cell.id!r} was missing: it was put back.")
    return repairs


def _run_earlier(placed: list[Step], release: Sequence[Cell]) -> list[str]:
    """Insert provided cells that are too low a second time, above the first answer that needs them.

    Return a sentence about each.
    """
    repairs = []
    answers = {cell.id for cell in release if is_answer(cell)}
    for number, cell in enumerate(release):
        if cell.type != "code" or cell.role != "provided":
            continue
        answers -= {cell.id for cell in release[:number]}
        needing = [i for i, step in enumerate(placed) if step.stands_for in answers]
        own = [i for i, step in enumerate(placed) if step.stands_for == cell.id]
        if needing and own and needing[0] < own[0]:
            step = Step(cell, f"the cell {cell.id!r}", True, stands_for=cell.id)
            placed.insert(needing[0], step)
            repairs.append(
                f"The provided cell {cell.id!r} was below an answer that needs it, so it "
                "also ran above that answer."
            )
    return repairs
