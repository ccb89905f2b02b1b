"""Returned letters, and the key -> a chance-corrected score."""

import ast
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.cells import cells_of, parsed
from autograder.course.people import delimiter
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.marks import rounded
from autograder.staff.defence.keys import Keys, same_sheet
from autograder.staff.defence.marked_sheets import MarkedSheet
from autograder.staff.defence.records import CHOICES, LETTERS
from autograder.staff.defence.sheets.forms import ANSWERS
from autograder.submission import archives, opening
from autograder.submission.archives import File

MAX_BYTES = 20_000_000
_EMPTY = {"", "-", "."}


@dataclass(frozen=True)
class Returned:
    """A student's answers.

    Args:
        sheet: The sheet's code; "" if the answers lack it.
        letters: Question -> the letter; "" for none.
        place: The place where it was read, for messages.
    """

    student: str
    sheet: str
    letters: Mapping[int, str]
    place: str


def corrected(right: int, wrong: int, number: int) -> float:
    """Return the chance-corrected score: wrong answers cost, so guessing gives 0 on average."""
    return (right - wrong / (CHOICES - 1)) / number


def marked(returned: Returned, keys: Keys) -> MarkedSheet:
    """Mark a student's answers; raise UserError if they do not belong to that student's sheet."""
    key = keys.sheets.get(returned.student)
    if key is None:
        raise UserError(f"{returned.place}: {returned.student!r} has no sheet in this folder")
    if returned.sheet and not same_sheet(returned.sheet, key.sheet):
        raise UserError(
            f"{returned.place}: these are answers to the sheet {returned.sheet}, and "
            f"{returned.student} was given {key.sheet}"
        )
    numbers = range(1, len(key.questions) + 1)
    if beyond := sorted(returned.letters.keys() - numbers):
        raise UserError(
            f"{returned.place}: there is no question {beyond[0]}; the sheet has {len(key.questions)}"
        )
    letters = tuple(returned.letters.get(n, "") for n in numbers)
    pairs = [(one, own.right) for one, own in zip(letters, key.questions, strict=True) if one]
    right = sum(one == other for one, other in pairs)
    wrong = len(pairs) - right
    return MarkedSheet(key.sheet, letters, right, wrong, corrected(right, wrong, len(letters)))


def read(path: Path, complain: Callable[[str], None]) -> Iterator[Returned]:
    """Yield the answers in a CSV, a notebook or a folder of notebooks; complain of unreadable ones.

    Raises:
        UserError: nothing in it is readable.
    """
    top = opening.given(path)
    if top.kind != "folder":
        yield from [_of_notebook(top)] if path.suffix == ".ipynb" else _of_csv(top, complain)
        return
    lines: list[str] = []
    below = archives.items_below(archives.listing(top, lines))
    notebooks = [one.file for one in below if one.name.endswith(".ipynb")]
    for line in lines:
        complain(line)
    if not notebooks:
        raise UserError(f"{path} has no notebooks; give a CSV, a notebook or a folder of them")
    for one in notebooks:
        try:
            yield _of_notebook(one)
        except UserError as error:
            complain(str(error))


def of_each(all_read: Iterable[Returned], complain: Callable[[str], None]) -> list[Returned]:
    """Return the answers of each student who gave exactly one set of them.

    Anybody can write a student's name into a file. If two files or lines with one name differ,
    nobody can tell whose they are, so a person has to look.
    """
    found: dict[str, list[Returned]] = {}
    for one in all_read:
        found.setdefault(one.student, []).append(one)
    for student, several in found.items():
        first = several[0]
        if any((one.sheet, one.letters) != (first.sheet, first.letters) for one in several):
            complain(
                f"{first.place} and {several[-1].place}: both are for {student!r} and differ; "
                "leave out the one that is not this student's"
            )
            several.clear()
    return [several[0] for several in found.values() if several]


def _bytes(path: File) -> bytes:
    try:
        return archives.read_bytes(path, limit=MAX_BYTES, advice=f"is {path} a sheet of answers?")
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror})") from error


def _of_csv(path: File, complain: Callable[[str], None]) -> Iterator[Returned]:
    try:
        text = _bytes(path).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter(text)))
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} is not a CSV ({error})") from error
    columns = {name for row in rows for name in row if name}
    if "id" not in columns or "1" not in columns:
        raise UserError(f"{path} needs the columns id, 1, 2, ...; staff/answers.csv has them")
    for number, row in enumerate(rows, start=2):
        place = f"{path}: line {number}"
        cells = {int(name): row[name] or "" for name in columns if _NUMBER.fullmatch(name)}
        try:
            letters = {n: _letter(cell, f"{place}: question {n}") for n, cell in cells.items()}
        except UserError as error:
            complain(str(error))
            continue
        if any(cell.strip() for cell in cells.values()):  # "-": it came back without a letter
            student = (row["id"] or "").strip().removeprefix("'")
            yield Returned(student, (row.get("sheet") or "").strip(), letters, place)


_NUMBER = re.compile(r"[1-9][0-9]?")
_FOR = re.compile(r"For (.+), sheet ([0-9A-F]{6})\.")


def _of_notebook(path: File) -> Returned:
    """Read a notebook's letters; none of it runs."""
    try:
        loaded = codec.loads(_bytes(path))
    except UserError as error:
        raise UserError(f"{path}: not a notebook ({error})") from error
    cells = cells_of(loaded) if isinstance(loaded, dict) else ()
    whose = next((m for cell in cells if (m := _FOR.search(cell.source))), None)
    if whose is None:
        raise UserError(f"{path}: its first cell does not name a student and a sheet any more")
    for cell in reversed(cells):
        tree = parsed(cell.source) if cell.type == "code" else None
        for node in tree.body if tree else ():
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == ANSWERS:
                return Returned(whose[1], whose[2], _letters(node.value, path), str(path))
    raise UserError(f"{path}: none of its cells has {ANSWERS} = {{1: ..., 2: ...}}")


def _letters(node: ast.expr, path: File) -> dict[int, str]:
    only_letters = f'{path}: {ANSWERS} may contain only letters, in the form 1: "A"'
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise UserError(only_letters) from error
    numbers = range(1, 100)
    if not isinstance(found, dict) or not all(type(n) is int and n in numbers for n in found):
        raise UserError(f'{path}: {ANSWERS} is not a dict of question numbers, such as {{1: "A"}}')
    if not all(isinstance(said, str | None) for said in found.values()):
        raise UserError(only_letters)
    return {n: _letter(said or "", f"{path}: question {n}") for n, said in found.items()}


def _letter(cell: str, place: str) -> str:
    said = cell.strip().upper()
    if said in _EMPTY:
        return ""
    if said not in tuple(LETTERS):
        raise UserError(
            f"{place}: {codec.one_line(cell[:20])!r} is not one of {', '.join(LETTERS)}"
        )
    return said


def earned(scores: Sequence[float], points: float, pass_mark: float | None) -> float:
    """Return the points for one or more sheets, of which the best counts.

    Args:
        scores: Chance-corrected scores, one per sheet.
        points: The possible points.
        pass_mark: The score that earns all points; lower ones earn none. With None, points are in
            proportion.
    """
    best = max(scores)
    if pass_mark is None:
        return rounded(points * best)
    return points if best >= pass_mark else 0.0
