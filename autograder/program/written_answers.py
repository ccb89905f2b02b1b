"""The written answer to each question that a person marks, wherever the student wrote it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from autograder.program.match import (
    Pair,
    has_own_comment,
    has_own_sentence,
    has_own_text,
    has_pictures,
    is_answer,
    is_own,
    match,
    may_answer,
    surely_there,
    text,
)
from autograder.program.repair import repair
from autograder.records.errors import UserError
from autograder.records.facts import Submission
from autograder.records.homework import Cell, Homework

MAX_ELSEWHERE, MAX_PICTURES = 5, 5
# The most candidate texts to show, and the most characters of each.
MAX_CANDIDATES, MAX_CANDIDATE = 5, 1_000


@dataclass(frozen=True)
class Written:
    """One question's answer, with its state in the log's terms.

    Each cell comes with a sentence above it. Cells added or changed elsewhere in the notebook appear
    if the answer's place is empty.
    """

    question: str
    state: str
    cells: tuple[tuple[Cell, str], ...]


def recognise(submission: Submission, homeworks: Sequence[Homework]) -> Homework:
    """Return the homework that a notebook belongs to.

    Raises:
        UserError: it matches none, or two equally well.
    """
    likeness = {
        homework.name: len(surely_there(submission.cells, homework.cells)) for homework in homeworks
    }
    best = max(likeness.values(), default=0)
    fitting = [homework for homework in homeworks if likeness[homework.name] == best]
    if not best or len(fitting) > 1:
        why = "matches no homework of this course" if not best else "matches several homeworks"
        raise UserError(f"it {why}; name the right one with --homework")
    return fitting[0]


def written(submission: Submission, homework: Homework) -> tuple[Written, ...]:
    """Return the answer to each question that a person marks."""
    pairs = match(repair(submission.cells, homework.cells)[0], homework.cells)
    by_hand = [question.id for question in homework.questions if question.by_hand]
    states = {question: in_its_cell(question, pairs)[0] for question in by_hand}
    found = {question: _in_its_place(question, pairs) for question in states}
    shown = {cell.id for cells in found.values() for cell, _ in cells}
    elsewhere = [
        (cell, f"A cell elsewhere that the student {done}; it may be the answer.")
        for cell, released in pairs
        for done in ["changed" if released else "added"]
        if cell.id not in shown
        and (_has_own_words(cell, released) if released else may_answer(cell, near=False))
    ][:MAX_ELSEWHERE]
    return tuple(
        Written(question, state, tuple(_drawn(found[question] or elsewhere)))
        for question, state in states.items()
    )


def _drawn(cells: Iterable[tuple[Cell, str]]) -> Iterator[tuple[Cell, str]]:
    """Yield cells, each followed by a text cell with the pictures that it showed."""
    for cell, label in cells:
        yield cell, label
        if not has_pictures(cell):
            continue
        images = (
            data[kind]
            for data in (output.get("data") for output in cell.outputs)
            if isinstance(data, dict)
            for kind in ("image/png", "image/jpeg")
            if isinstance(data.get(kind), str)
        )
        drawn = {f"{number}": image for number, image in enumerate(islice(images, MAX_PICTURES))}
        source = "\n\n".join(f"![](attachment:{name})" for name in drawn)
        if drawn:
            shown = Cell(f"{cell.id}-shown", "markdown", source, attachments=drawn)
            yield shown, "What this cell showed when it was submitted."


def _in_its_place(question: str, pairs: Sequence[Pair]) -> list[tuple[Cell, str]]:
    places = [
        number
        for number, (_, released) in enumerate(pairs)
        if released is not None and released.role == "written" and released.grade_id == question
    ]
    own = {number: "" for number in places if _is_own(*pairs[number])}
    versions = len({text(pairs[number].cell) for number in own})
    if versions > 1:
        own = {number: f"Version {n} of {len(own)}." for n, number in enumerate(own, start=1)}
    beside = {
        number: "A cell that the student added beside the answer's."
        for place in places
        for added, _ in _sides(pairs, place)
        for number in added
    }
    if not own and not beside:
        beside = {
            number: "The text beside the answer's cell, which the student changed."
            for place in places
            for number in (place - 1, place + 1)
            if 0 <= number < len(pairs) and _is_changed_text(pairs[number])
        }
    seen: set[str] = set()
    result = []
    for number, label in sorted((beside | own).items()):
        cell = pairs[number].cell
        if text(cell) not in seen:
            result.append((cell, label))
        seen.add(text(cell))
    return result


def _is_own(cell: Cell, released: Cell | None) -> bool:
    return released is not None and is_own(cell, released)


def _is_changed_text(pair: Pair) -> bool:
    cell, released = pair
    if released is None or released.role == "written":
        return False
    return has_own_text(cell, released) or has_own_comment(cell, released)


def _has_own_words(cell: Cell, released: Cell) -> bool:
    """Return whether a cell that is no place for an answer has words of the student's."""
    if is_answer(released):
        return False
    written = released.role == "written"
    return has_own_comment(cell, released) or (not written and has_own_sentence(cell, released))


def _sides(pairs: Sequence[Pair], place: int) -> Iterator[tuple[list[int], int | None]]:
    """Yield the added cells on both sides of an answer that may belong to it, and the next cell."""
    for step in (-1, 1):
        number = place + step
        added: list[int] = []
        while 0 <= number < len(pairs) and pairs[number].released is None:
            if may_answer(pairs[number].cell, near=True):
                added.append(number)
            number += step
        yield added, number if 0 <= number < len(pairs) else None


def in_its_cell(question: str, pairs: Sequence[Pair]) -> tuple[str, tuple[str, ...]]:
    """Return the state of a written answer's cell, and the texts that may be the answer.

    A cell counts as "unchanged" or "empty" only if the student wrote nothing beside it and no
    possible answer elsewhere.
    """
    own: list[str] = []
    there: list[str] = []
    for number, (cell, released) in enumerate(pairs):
        if released is None or released.grade_id != question or released.role != "written":
            continue
        there.append(text(cell))
        if is_own(cell, released):
            own.append(cell.source.strip())
        elif _answered_beside(pairs, number):
            return "answered", ()
    if own:
        texts = tuple(dict.fromkeys(source[:MAX_CANDIDATE] for source in own))
        return "answered", texts[:MAX_CANDIDATES]
    if not there or any(_may_answer(question, pairs)):
        return "missing", ()
    return ("unchanged" if any(there) else "empty"), ()


def _answered_beside(pairs: Sequence[Pair], place: int) -> bool:
    return any(
        added or (edge is not None and _is_changed_text(pairs[edge]))
        for added, edge in _sides(pairs, place)
    )


def _may_answer(question: str, pairs: Sequence[Pair]) -> Iterator[bool]:
    """Yield for each cell whether it may be a question's answer, wherever it is.

    A cell beside a different question's empty cell belongs to that question.
    """
    above = [_waiting(question, pair) for pair in pairs]
    below = list(above)
    for number in range(1, len(pairs)):
        if pairs[number].released is None:
            above[number] = above[number - 1]
    for number in reversed(range(len(pairs) - 1)):
        if pairs[number].released is None:
            below[number] = below[number + 1]
    for number, (cell, released) in enumerate(pairs):
        if released is None:
            yield not (above[number] or below[number]) and may_answer(cell, near=False)
        else:
            beside = above[max(number - 1, 0)] or below[min(number + 1, len(pairs) - 1)]
            yield not (beside and cell.type != "code") and _has_own_words(cell, released)


def _waiting(question: str, pair: Pair) -> bool:
    cell, released = pair
    if released is None or released.role != "written" or released.grade_id == question:
        return False
    return not is_own(cell, released)
