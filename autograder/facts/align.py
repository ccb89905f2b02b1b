"""A student's notebook beside the release -> the program to run, and what was mended.

The student's answers and added cells stay where they stand. A provided cell
that was edited runs as the student wrote it and then as released; one that was
deleted comes back. Nothing else of the student's notebook (tests, tags,
metadata, kernel) has any say.
"""

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.homework import defined_names
from autograder.model import Cell, HandIn, Homework


@dataclass(frozen=True)
class Step:
    """One cell of the program: what to call it, whether it is run, whether the student added it."""

    cell: Cell
    name: str
    runs: bool
    added: bool = False


@dataclass(frozen=True)
class Program:
    """What will be run for a submission.

    Args:
        steps: In the order of the student's notebook.
        repairs: One sentence a change.
        written: Hand-marked question id -> "answered", "unchanged", "empty" or "missing".
    """

    steps: tuple[Step, ...]
    repairs: tuple[str, ...]
    written: Mapping[str, str]


def align(hand_in: HandIn, homework: Homework, *, all_cells: bool = False) -> Program:
    """Return the program that grades a submission.

    Args:
        hand_in: What the student handed in.
        homework: Says what is provided and what was to be written.
        all_cells: Run the cells that only illustrate, too.
    """
    pairs = _match(hand_in.cells, homework.cells)
    steps: list[tuple[Step, str | None]] = []  # with the id of the released cell it stands for
    repairs: list[str] = []
    added = 0
    for cell, released in pairs:
        if released is None:
            added += cell.type == "code"
            runs = cell.type == "code" and bool(cell.source.strip())
            steps.append((Step(cell, f"your own code cell {added}", runs, added=True), None))
        elif cell.type != "code":
            steps.append((Step(cell, f"the cell {released.id!r}", False), released.id))
        elif released.role == "answer":
            steps.append((Step(cell, f"the cell {released.id!r}", True), released.id))
        else:
            changed = _text(cell) != _text(released)
            runs = all_cells or released.role != "demo"
            if changed:
                name = f"your version of the cell {released.id!r}"
                steps.append((Step(cell, name, True, added=True), None))
                then = ", then as given" if runs else ""
                repairs.append(
                    f"The provided cell {released.id!r} was changed: it ran as you wrote it{then}."
                )
            if runs or not changed:
                kept = replace(released, outputs=cell.outputs)
                steps.append((Step(kept, f"the cell {released.id!r}", runs), released.id))
    repairs += _put_back(steps, homework.cells, all_cells=all_cells)
    if hand_in.submission.kind == "log":
        repairs = []
    return Program(
        tuple(step for step, _ in steps),
        tuple(repairs),
        {
            question.id: _written(question.id, pairs)
            for question in homework.questions
            if question.by_hand
        },
    )


def _match(cells: Sequence[Cell], release: Sequence[Cell]) -> list[tuple[Cell, Cell | None]]:
    """Pair each of the student's cells with the released cell it stands for, if any."""
    free = {cell.id: cell for cell in release}
    found: dict[int, Cell] = {}

    def take(number: int, candidates: Sequence[Cell]) -> None:
        for candidate in candidates:
            if candidate.id in free and candidate.type == cells[number].type:
                found[number] = free.pop(candidate.id)
                return

    rules: tuple[Callable[[Cell], list[Cell]], ...] = (
        lambda cell: [c for c in release if cell.grade_id and c.grade_id == cell.grade_id],
        lambda cell: [c for c in release if c.id == cell.id],
        lambda cell: [c for c in release if _text(c) and _text(c) == _text(cell)],
        lambda cell: [c for c in release if c.role == "answer" and _defines(c) & _defines(cell)],
    )
    for rule in rules:
        for number, cell in enumerate(cells):
            if number not in found:
                take(number, rule(cell))
    return [(cell, found.get(number)) for number, cell in enumerate(cells)]


def _put_back(
    steps: list[tuple[Step, str | None]], release: Sequence[Cell], *, all_cells: bool
) -> list[str]:
    """Insert the released cells that are missing, each after the one that it follows."""
    repairs = []
    present = {id for _, id in steps}
    place = 0
    for cell in release:
        if cell.id in present:
            place = 1 + next(i for i, (_, id) in enumerate(steps) if id == cell.id)
        elif cell.type == "code" and cell.role == "answer":
            repairs.append(f"The answer cell {cell.id!r} was not found.")
        elif cell.type == "code" and (all_cells or cell.role != "demo"):
            steps.insert(place, (Step(cell, f"the cell {cell.id!r}", True), cell.id))
            place += 1
            repairs.append(f"The provided cell {cell.id!r} was missing: it was put back.")
    return repairs


def _written(question: str, pairs: Sequence[tuple[Cell, Cell | None]]) -> str:
    """Say what stands in a written answer's cell, or in text of the student's own beside it."""
    for number, (cell, released) in enumerate(pairs):
        if released is None or released.grade_id != question or released.role != "written":
            continue
        beside = [*pairs[max(0, number - 1) : number], *pairs[number + 1 : number + 2]]
        if _is_own_text(cell, released) or any(_is_own_text(*pair) for pair in beside):
            return "answered"
        return "unchanged" if _text(cell) else "empty"
    return "missing"


def _is_own_text(cell: Cell, released: Cell | None) -> bool:
    """Whether a cell is text that the release does not have in this place."""
    if cell.type != "markdown" or not _text(cell):
        return False
    return released is None or _text(cell) != _text(released)


def _text(cell: Cell) -> str:
    return _lines(cell.source)


@functools.lru_cache(maxsize=20_000)
def _lines(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def answers_digest(cells: Sequence[Cell], release: Sequence[Cell]) -> str:
    """Return what the notebook's log cell writes as `answers_sha256`.

    It is the sha256 of the sources of the answers (for each answer cell of the
    release, in order, the last cell that defines its name), each stripped at
    the end and followed by a newline.
    """
    total = hashlib.sha256()
    for answer in release:
        if answer.role == "answer":
            names = _defines(answer)
            source = next((c.source for c in reversed(cells) if names & _defines(c)), "")
            total.update(source.rstrip().encode(errors="replace") + b"\n")
    return total.hexdigest()


def _defines(cell: Cell) -> frozenset[str]:
    return defined_names(cell.source) if cell.type == "code" else frozenset()
