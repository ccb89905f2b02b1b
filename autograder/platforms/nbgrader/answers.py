"""A written answer, wherever it is in the notebook -> one text for people who mark."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.records.errors import UserError
from autograder.records.homework import Cell, Homework
from autograder.reports import sanitize
from autograder.store.executed import BriefResult, ExecutedCell, Result

MAX_LINKS = 20


@dataclass(frozen=True)
class Answer:
    """A written answer, ready to show.

    Args:
        text: Markdown.
        pictures: Its attachments.
        sha256: Digest of the student's text, which reveals a changed text.
        whole: Whether the text is exactly the student's: no note, and not two texts.
        code: The student's code, if the answer is one code cell.

    """

    text: str
    pictures: Mapping[str, Any]
    sha256: str
    whole: bool = False
    code: str = ""


def answers(result: Result | BriefResult, homework: Homework) -> dict[str, Answer]:
    """Return each written answer by its question."""
    questions = [question.id for question in homework.questions if question.by_hand]
    return {id: answer(result, id, released(homework, id)) for id in questions}


def released(homework: Homework, question: str) -> Cell:
    """Return the released cell that a written answer replaces; raise UserError without a release."""
    for cell in homework.cells:
        if cell.grade_id == question:
            return cell
    raise UserError(f"release/{homework.name} is missing; run `autograder release` first")


def as_text(cell: ExecutedCell) -> str:
    """Return a cell as Markdown; text in a code cell stays as it is."""
    if cell.type != "code":
        return cell.source
    fence = "`" * (2 + max(map(len, re.findall("`+", cell.source)), default=1))
    return f"{fence}\n{sanitize.markdown(cell.source)}\n{fence}"


def same_words(one: str, other: str) -> bool:
    """Return whether two texts differ only in white space."""
    return one.split() == other.split()


def answer(result: Result | BriefResult, question: str, released: Cell) -> Answer:
    """Combine the texts of a written answer's cell, or explain where else it may be."""
    there = [cell for cell in result.cells if cell.stands_for == released.id]
    given = sanitize.markdown(released.source)
    own = {
        " ".join(cell.source.split()): cell
        for cell in there
        if cell.source.strip() and not same_words(cell.source, given)
    }
    if own:
        return _joined(list(own.values()), _following(result.cells, released.id))
    text = released.source if any(cell.source.strip() for cell in there) else ""
    if why := _where_else(result, question, there=bool(there)):
        # The answer may be in any cell that the student added.
        added = [cell for cell in result.cells if cell.number]
        return Answer(f"{_note(why)}\n\n{text}", {}, _digest(added))
    return Answer(text or EMPTY, {}, _digest(there), whole=True)


def _following(cells: Sequence[ExecutedCell], place: str) -> list[ExecutedCell]:
    """Return the texts added below a cell, where the answer may go on."""
    found: list[ExecutedCell] = []
    current = None
    for cell in cells:
        current = cell.stands_for or current
        if current == place and cell.number and cell.type != "code":
            found.append(cell)
    return found


def _note(text: str) -> str:
    """Return a note that no student can have written: their texts have no tag with attributes."""
    return f'<div class="alert alert-info">\n\nNote of the grader: {text}\n\n</div>'


EMPTY = _note("The cell is empty.")


def _where_else(result: Result | BriefResult, question: str, *, there: bool) -> str:
    if result.log.submission.kind == "log":
        return "a log was submitted without a notebook, so this answer is missing."
    state = result.log.written.get(question)
    if there and state == "answered":
        return "nothing was written into this cell; look at the texts above and below it."
    if there and state != "missing":
        return ""
    added = [cell.number for cell in result.cells if cell.number]
    links = ", ".join(f"[{number}](#added-{number})" for number in added[:MAX_LINKS])
    what = "nothing was written into this cell" if there else "the cell is not in the submission"
    return f"{what}; look at the cells that were added: {links or 'there are none'}."


def _joined(cells: Sequence[ExecutedCell], following: Sequence[ExecutedCell]) -> Answer:
    digest = _digest([*cells, *following])
    if len(cells) == 1:
        code = cells[0].source if cells[0].type == "code" and not following else ""
        return Answer(as_text(cells[0]), cells[0].pictures, digest, not following, code)
    parts = [_note(f"{len(cells)} texts may be this answer.")]
    pictures: dict[str, Any] = {}
    for count, cell in enumerate(cells, start=1):
        text = as_text(cell)
        for name, picture in cell.pictures.items():
            pictures[f"text-{count}-{name}"] = picture
            text = text.replace(f"(attachment:{name})", f"(attachment:text-{count}-{name})")
        parts += [f'<div class="alert alert-info">Text {count}</div>', text]
    return Answer("\n\n".join(parts), pictures, digest)


def _digest(cells: Sequence[ExecutedCell]) -> str:
    text = json.dumps([[cell.source, cell.pictures] for cell in cells], sort_keys=True)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
