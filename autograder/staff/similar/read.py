"""A folder of results -> the works of a class, and the texts given to all of them."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from autograder.course import known_answers
from autograder.course.cells import parsed
from autograder.program.match import is_prose
from autograder.records.errors import UserError
from autograder.records.homework import Cell, Homework
from autograder.reports import sanitize
from autograder.staff.similar import fingerprints
from autograder.staff.similar.pairs import Part, Work
from autograder.store import executed, results
from autograder.store.executed import ExecutedCell

DECLARED = "collaboration"
"""The id of the cell in which students name people, sources and tools: shown, but not compared."""
OUTPUTS = "Outputs that were stored in the notebook"
MAX_CELLS = 500


def work(folder: Path, homework: Homework, known: frozenset[str], group: str = "") -> Work:
    """Read one graded submission.

    Raises:
        UserError: it is unreadable, or of a different homework.

    """
    log = results.read_log(folder)
    if log.homework != homework.name:
        raise UserError(f"it belongs to {log.homework}, not {homework.name}")
    cells, stored = executed.read_notebook(folder)
    asked = {sanitize.markdown(cell.source) for cell in homework.cells if cell.id == DECLARED}
    said = [cell.source for cell in cells if asked and cell.stands_for == DECLARED]
    return Work(
        student=log.submission.student,
        group=group,
        sha256=log.submission.sha256,
        people=tuple(sorted(log.receipt.people)) if log.receipt else (),
        parts=(
            *(_part(cell, known) for cell in cells[:MAX_CELLS] if cell.stands_for != DECLARED),
            *_outputs(stored[:MAX_CELLS]),
        ),
        declared="\n\n".join(text for text in said if text not in asked),
    )


def given(root: Path, homework: Homework) -> frozenset[int]:
    """Return all fingerprints of the release, the instructor's notebook and staff/right."""
    answers = known_answers.right(root, homework)
    own = [known_answers.instructor(root, homework), *(one.submission for one in answers)]
    cells = [*homework.cells, *(cell for one in own for cell in one.cells)]
    known = names(homework)
    return frozenset(
        item.key
        for cell in {(cell.type, cell.source): cell for cell in cells}.values()
        for item in _every(cell, known)
    )


def _every(cell: Cell, known: frozenset[str]) -> Iterable[fingerprints.Fingerprint]:
    if cell.type == "code":
        return fingerprints.of_code(cell.source, known, every=True)
    return fingerprints.of_text(sanitize.markdown(cell.source), every=True)


def names(homework: Homework) -> frozenset[str]:
    """Return names that no student chose: a release's globals, and its answers' arguments."""
    return frozenset(name for cell in homework.cells for name in _names(cell))


def _names(cell: Cell) -> Iterator[str]:
    tree = parsed(cell.source) if cell.type == "code" else None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.alias):
            yield (node.asname or node.name).split(".")[0]
        elif isinstance(node, ast.arg) and cell.role == "answer":
            yield node.arg
    for statement in tree.body if tree else ():
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Assign):
            targets = (node for target in statement.targets for node in ast.walk(target))
            yield from (node.id for node in targets if isinstance(node, ast.Name))


def _part(cell: ExecutedCell, known: frozenset[str]) -> Part:
    is_code = cell.type == "code" and not is_prose(Cell("", cell.type, cell.source))
    found = (
        fingerprints.of_code(cell.source, known) if is_code else fingerprints.of_text(cell.source)
    )
    return Part(cell.stands_for or "", cell.source, found, "code" if is_code else "text")


def _outputs(stored: Sequence[tuple[str, str]]) -> Iterator[Part]:
    """Yield the fingerprints of the outputs stored in a submitted notebook, as if in one cell."""
    if stored:
        lines = "\n".join(f"the output of {first}" for first, _ in stored)
        found = fingerprints.of_outputs([digest for _, digest in stored])
        yield Part(OUTPUTS, lines, found, "outputs")
