"""Answers in pieces, in text cells or in one heap with everything else -> cells that can run."""

import re
import textwrap
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from autograder.facts import scripts
from autograder.facts.match import is_stub
from autograder.homework import defined_names, parsed
from autograder.model import Cell

_FENCED = re.compile(r"^```[^\n`]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_DEFINES = re.compile(r"^(?:class|def)\s+(\w+)", re.MULTILINE)
_METHOD = re.compile(r"^[ \t]+def \w+\(self\b", re.MULTILINE)
_MARKDOWN_MAGIC = re.compile(r"\A\s*(?:%%(?:markdown|md)\b[^\n]*\n?|%md\b[ \t]*\n?)")
_STRING = re.compile(r"(?P<quotes>\"{3}|'{3})((?:(?!(?P=quotes)).)*)(?P=quotes)", re.DOTALL)
# A heap has at least so many marks of cells (fewer are somebody's comments), and at most so many
# characters and parts; a notebook has at most so many heaps.
_MARKS, _HEAP, _PARTS, _HEAPS = 5, 300_000, 1_000, 3
# So many cells below an answer may hold the rest of it, and so many answers are looked at.
_PIECES, _SPLIT = 8, 50


def mend(cells: Sequence[Cell], release: Sequence[Cell]) -> tuple[list[Cell], list[str]]:
    """Return cells in which each answer that is there stands whole in a code cell.

    Args:
        cells: The student's.
        release: Says which names are answers.

    Returns:
        The cells, and one sentence for each that was mended.
    """
    answers = [cell for cell in release if cell.type == "code" and cell.role == "answer"]
    cells, taken_apart = _taken_apart(cells)
    cells = [_without_magic(cell) for cell in cells]
    cells, joined = _joined(cells, frozenset().union(*(defined_names(a.source) for a in answers)))
    cells, converted = _converted(cells, answers)
    # Last, so that an answer that was commented out as a string stays out.
    cells = [_without_quotes(cell) for cell in cells]
    return cells, taken_apart + joined + converted


def _taken_apart(cells: Sequence[Cell]) -> tuple[list[Cell], list[str]]:
    """Make cells of a code cell that holds a whole script, as some tools bring it back."""
    result: list[Cell] = []
    repairs: list[str] = []
    for cell in cells:
        heap = cell.type == "code" and len(cell.source) <= _HEAP and len(repairs) < _HEAPS
        if not heap or not _MARKS <= scripts.marks(cell.source) <= _PARTS:
            result.append(cell)
            continue
        parts = scripts.cells(cell.source)
        repairs.append(f"A cell that held a script was taken apart: {len(parts)} cells.")
        result += [
            replace(cell, id=f"{cell.id}-{n}", type=kind, source=source, grade_id=None)
            for n, (kind, source) in enumerate(parts)
        ]
    return result, repairs


def _without_magic(cell: Cell) -> Cell:
    """Turn a code cell that is text by a magic into a text cell."""
    if cell.type == "code" and (magic := _MARKDOWN_MAGIC.match(cell.source)):
        return replace(cell, type="markdown", source=cell.source[magic.end() :])
    return cell


def _without_quotes(cell: Cell) -> Cell:
    """Turn a code cell that is one long string, as Colab writes text into scripts, into a text cell.

    LaTeX in it need not be valid in a string.
    """
    if cell.type == "code" and (string := _STRING.fullmatch(cell.source.strip())):
        return replace(cell, type="markdown", source=string.group(2).strip("\n"))
    return cell


def _joined(cells: Sequence[Cell], names: frozenset[str]) -> tuple[list[Cell], list[str]]:
    """Join an answer with the pieces below it that its definition goes on in.

    A piece stands below code that is not complete; or it is indented and would not run
    alone, or holds methods. One that would run alone runs where it stands, too.
    """
    result, repairs = list(cells), []
    number = tries = 0
    while number < len(result) and tries < _SPLIT:
        cell = result[number]
        wanted = names & set(_DEFINES.findall(cell.source)) if cell.type == "code" else set()
        number += 1
        if not wanted:
            continue
        tries += 1
        source, used = _completed(cell.source, result[number : number + _PIECES], wanted)
        if used:
            result[number - 1] = replace(cell, source=source)
            kept = [piece for piece in result[number : number + used] if _runs_alone(piece)]
            result[number : number + used] = kept
            repairs.append(
                f"The cell that defines `{min(wanted)}` was split: "
                f"it was joined with the {'cell' if used == 1 else f'{used} cells'} below it."
            )
    return result, repairs


def _completed(source: str, below: Sequence[Cell], wanted: AbstractSet[str]) -> tuple[str, int]:
    """Return an answer with as many cells below it as belong to it, and how many these are."""
    joined, best = source, (source, 0)
    for count, piece in enumerate(below, start=1):
        if piece.type != "code" or not (_goes_on(piece) or not _compiles(joined)):
            break
        joined = f"{joined}\n{piece.source}"
        if _compiles(joined) and wanted <= defined_names(joined):
            best = joined, count
    return best


def _goes_on(piece: Cell) -> bool:
    """Whether a cell is the rest of something: IPython runs other indented code as it is."""
    first = next((line for line in piece.source.split("\n") if line.strip()), "")
    if first[:1] not in (" ", "\t"):
        return False
    return not _runs_alone(piece) or bool(_METHOD.search(piece.source))


def _compiles(source: str) -> bool:
    """Whether code is complete: what can be parsed may still return outside of a function."""
    tree = parsed(source)
    try:
        return tree is not None and bool(compile(tree, "cell", "exec", dont_inherit=True))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _runs_alone(piece: Cell) -> bool:
    return _compiles(textwrap.dedent(piece.source))


def _converted(cells: Sequence[Cell], answers: Sequence[Cell]) -> tuple[list[Cell], list[str]]:
    """Take an answer out of a text cell where no code cell has it."""
    result, repairs = list(cells), []
    for answer in answers:
        names = defined_names(answer.source)
        written = [
            cell
            for cell in result
            if cell.type == "code"
            and names & defined_names(cell.source)
            and not is_stub(cell, answer)
        ]
        if written:
            continue
        for number, cell in enumerate(result):
            source = _code_in(cell, names)
            if source is not None:
                result[number] = replace(cell, type="code", source=source)
                repairs.append(f"The answer `{min(names)}` stood in a text cell: it ran as code.")
    return result, repairs


def _code_in(cell: Cell, names: frozenset[str]) -> str | None:
    """Return the code in a text cell that defines an answer, if it does."""
    if cell.type == "code" or not names & set(_DEFINES.findall(cell.source)):
        return None
    for source in (cell.source, "\n\n".join(_FENCED.findall(cell.source))):
        if names & defined_names(source):
            return source
    return None
