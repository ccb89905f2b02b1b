"""Repairs of answers in pieces, in text cells, or in one cell with everything else."""

import ast
import functools
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from autograder.course.cells import MAX_PARSED, defined_names, mistake, newer_syntax, parsed
from autograder.program.match import is_stub
from autograder.records.codec import one_line
from autograder.records.homework import Cell
from autograder.submission import scripts

_FENCED = re.compile(r"^```[^\n`]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_DEFINES = re.compile(r"^(?:class|def)\s+(\w+)", re.MULTILINE)
_METHOD = re.compile(r"^[ \t]+def \w+\(self\b", re.MULTILINE)
_MARKDOWN_MAGIC = re.compile(r"\A\s*(?:%%(?:markdown|md)\b[^\n]*\n?|%md\b[ \t]*\n?)")
_STRING = re.compile(r"(?P<quotes>\"{3}|'{3})((?:(?!(?P=quotes)).)*)(?P=quotes)", re.DOTALL)
# The fewest cell marks in a cell with a whole script (fewer are somebody's comments), the most
# characters and parts to read in one, and the most such cells in a notebook.
_MARKS, _HEAP, _PARTS, _HEAPS = 5, 300_000, 1_000, 3
# The number of cells below an answer that may have the rest of it, and of answers to examine.
_PIECES, _SPLIT = 8, 50
JOINED = 400_000  # total characters compiled to find out which cells belong together
# Bounds on taking unreadable code apart: characters given to the parser, characters that each try
# costs on top, unindented parts of a statement, and statements to report.
_TRIED, _TRY, _GROWTH, _SAID = 400_000, 100, 8, 3
_UNREAD = 20  # the most cells to report if none is repaired
_INDENT = re.compile(r"(?:[ \t]*\n)*([ \t]+)(?=\S)")
_BINDS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
_BINDING = re.compile(r"^(?:async def|def|class|import|from)\s+\w", re.MULTILINE)
# The rest of a statement that began above.
_REST = re.compile(r"[\s)\]}#]|(?:else|elif|except|finally|case)\b|$")


def repair(
    cells: Sequence[Cell], release: Sequence[Cell], *, mend: bool = True
) -> tuple[list[Cell], list[str]]:
    """Return cells in which each answer is complete in a code cell, and a sentence for each repair.

    Without `mend`, unreadable cells stay, with a sentence on why each did not run.
    """
    answers = [cell for cell in release if cell.type == "code" and cell.role == "answer"]
    cells, taken_apart = _taken_apart(cells)
    cells = [_without_magic(cell) for cell in cells]
    names = frozenset().union(*(defined_names(a.source) for a in answers))
    cells, joined = _joined(cells, names) if mend else (cells, [])
    cells, converted = _converted(cells, answers)
    # This comes after the search for answers, so an answer commented out as a string stays out.
    cells = [_without_quotes(cell) for cell in cells]
    cells, moved = _unindented(cells) if mend else (cells, [])
    cells, left_out = _readable(cells) if mend else (cells, _unread(cells))
    return cells, taken_apart + joined + converted + moved + left_out


def _taken_apart(cells: Sequence[Cell]) -> tuple[list[Cell], list[str]]:
    result: list[Cell] = []
    repairs: list[str] = []
    for cell in cells:
        heap = cell.type == "code" and len(cell.source) <= _HEAP and len(repairs) < _HEAPS
        if not heap or not _MARKS <= scripts.marks(cell.source) <= _PARTS:
            result.append(cell)
            continue
        parts = scripts.cells(cell.source)
        repairs.append(f"A cell with a whole script was taken apart: {len(parts)} cells.")
        result += [
            replace(cell, id=f"{cell.id}-{n}", type=p.kind, source=p.source, grade_id=p.grade_id)
            for n, p in enumerate(parts)
        ]
    return result, repairs


def _without_magic(cell: Cell) -> Cell:
    if cell.type == "code" and (magic := _MARKDOWN_MAGIC.match(cell.source)):
        return replace(cell, type="markdown", source=cell.source[magic.end() :])
    return cell


def _without_quotes(cell: Cell) -> Cell:
    """Turn a code cell with only a long string, as in Colab's scripts, into a text cell.

    LaTeX in it need not be valid in a string.
    """
    if cell.type == "code" and (string := _STRING.fullmatch(cell.source.strip())):
        return replace(cell, type="markdown", source=string.group(2).strip("\n"))
    return cell


def _joined(cells: Sequence[Cell], names: frozenset[str]) -> tuple[list[Cell], list[str]]:
    """Join an answer with the pieces below it that continue its definition.

    A piece follows incomplete code; or it is indented and would not run alone, or has methods. A
    piece that would run alone also runs in its own place.
    """
    result, repairs = list(cells), []
    number = tries = tried = 0
    while number < len(result) and tries < _SPLIT and tried < JOINED:
        cell = result[number]
        wanted = names & set(_DEFINES.findall(cell.source)) if cell.type == "code" else set()
        number += 1
        if not wanted:
            continue
        below = result[number : number + _PIECES]
        tries += 1
        tried += len(cell.source) + sum(len(piece.source) for piece in below)
        source, used = _completed(cell.source, below, wanted)
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
    joined, best = source, (source, 0)
    for count, piece in enumerate(below, start=1):
        if piece.type != "code" or not (_goes_on(piece) or not compiles_alone(joined)):
            break
        joined = f"{joined}\n{piece.source}"
        if compiles_alone(joined) and wanted <= defined_names(joined):
            best = joined, count
    return best


def _goes_on(piece: Cell) -> bool:
    """Return whether a cell continues another: IPython runs other indented code as it is."""
    first = next((line for line in piece.source.split("\n") if line.strip()), "")
    if first[:1] not in (" ", "\t"):
        return False
    return not _runs_alone(piece) or bool(_METHOD.search(piece.source))


@functools.lru_cache(maxsize=20_000)  # most cells are the same as in every other notebook
def compiles_alone(source: str) -> bool:
    """Return whether code is complete: parsable code may still return outside a function."""
    tree = parsed(source)
    return tree is not None and not _why_not(tree)


def _why_not(code: str | ast.Module) -> SyntaxError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            compile(code, "cell", "exec", flags=flags, dont_inherit=True)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error))
    return None


def _unindented(cells: Sequence[Cell]) -> tuple[list[Cell], list[str]]:
    """Remove the first line's indent from all lines that have it, as IPython did before 9.1.

    Colab still does. Only cells that Python cannot read otherwise are changed.
    """
    result, repairs = list(cells), []
    budget = _TRIED
    for number, cell in enumerate(cells):
        indent = _INDENT.match(cell.source) if cell.type == "code" else None
        if not indent or len(cell.source) > min(MAX_PARSED, budget):
            continue
        budget -= len(cell.source)
        source = re.sub(f"^{indent[1]}", "", cell.source, flags=re.MULTILINE)
        if not _runs_alone(cell) and compiles_alone(source):
            result[number] = replace(cell, source=source)
            names = sorted(set(_DEFINES.findall(source)))
            which = f"The cell that defines `{names[0]}`" if names else f"The cell {cell.id!r}"
            repairs.append(f"{which} began with an indent, which was removed from all its lines.")
    return result, repairs


def _readable(cells: Sequence[Cell]) -> tuple[list[Cell], list[str]]:
    """Comment out the statements that Python cannot read, in cells worth saving.

    Those are cells with a definition or an import, which would be lost with the whole cell.
    """
    result, repairs = list(cells), []
    budget = _TRIED
    for number, cell in enumerate(cells):
        if cell.type != "code" or cell.source.lstrip().startswith("%%"):
            continue
        if not _BINDING.search(cell.source) or len(cell.source) > MAX_PARSED:
            continue
        budget -= len(cell.source)
        if budget < 0:
            break
        if compiles_alone(cell.source):
            continue
        lines, bad, binds, used = _statements(cell.source, budget)
        budget -= used
        if bad and binds:
            result[number] = replace(cell, source="\n".join(lines))
            names = sorted(set(_DEFINES.findall(cell.source)))
            which = f"The cell that defines `{names[0]}`" if names else "A cell with imports"
            more = f"; and {len(bad) - _SAID} more" if len(bad) > _SAID else ""
            said = "; ".join(bad[:_SAID]) + more
            repairs.append(f"{which} has lines that Python cannot read. Left out: {said}.")
    return result, repairs


def _unread(cells: Sequence[Cell]) -> list[str]:
    said: list[str] = []
    budget = _TRIED
    for cell in cells:
        if cell.type != "code" or cell.source.lstrip().startswith("%%"):
            continue
        budget -= min(len(cell.source), MAX_PARSED)
        if budget < 0 or len(said) == _UNREAD:
            break
        if len(cell.source) <= MAX_PARSED and not compiles_alone(cell.source):
            names = sorted(set(_DEFINES.findall(cell.source)))
            which = f"The cell that defines `{names[0]}`" if names else f"The cell {cell.id!r}"
            said.append(f"{which} did not run: Python cannot read it ({_mistake(cell.source)}).")
    return said


def _mistake(source: str) -> str:
    tree = parsed(source)
    error = _why_not(tree) if tree else None
    said = f"line {error.lineno}: {error.msg}" if error else mistake(source)
    return one_line(said)[:100]


def _statements(source: str, budget: int) -> tuple[list[str], list[str], bool, int]:
    """Split code into statements by its lines, and comment out those that do not compile.

    Return the lines, the statements left out and why, whether a definition or an import remains,
    and how many characters were compiled.
    """
    lines = source.split("\n")
    starts = list(_starts(lines))
    ends = [*starts[1:], len(lines)]
    bad: list[str] = []
    binds = False
    spent = number = 0
    while number < len(starts):
        for last in range(number, min(number + _GROWTH, len(starts))):
            statement = "\n".join(lines[starts[number] : ends[last]])
            spent += _TRY + len(statement)
            tree = parsed(statement) if spent <= budget else None
            if tree is not None and not _why_not(tree):
                binds = binds or any(isinstance(node, _BINDS) for node in tree.body)
                number = last + 1
                break
        else:
            first, end = starts[number], ends[number]
            if spent <= budget:
                bad.append(_left_out("\n".join(lines[first:end]), first))
            else:
                return lines, [], False, spent
            lines[first:end] = [f"# {line}" if line.strip() else line for line in lines[first:end]]
            number += 1
    return lines, bad, binds, spent


def _starts(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines that may begin a statement; a decorator begins its function's."""
    decorated = False
    first = True
    inside, all_end = scripts.in_strings(lines)
    for number, line in enumerate(lines):
        if first or not (_REST.match(line) or decorated or (all_end and inside[number])):
            yield number
            first = False
        if line.strip() and not line.startswith("#"):
            decorated = line.startswith("@") or (decorated and line[:1] in " \t)]}")


def _left_out(statement: str, above: int) -> str:
    why = _why_not(statement)
    message = one_line(why.msg if why else "it is not complete")[:100]
    message += newer_syntax(why) if why else ""
    count = len(statement.rstrip().split("\n"))
    lines = f"line {above + 1}" if count == 1 else f"lines {above + 1} to {above + count}"
    return f"{lines} ({message})"


def _runs_alone(piece: Cell) -> bool:
    return compiles_alone(textwrap.dedent(piece.source))


def _converted(cells: Sequence[Cell], answers: Sequence[Cell]) -> tuple[list[Cell], list[str]]:
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
                repairs.append(f"The answer `{min(names)}` was in a text cell: it ran as code.")
    return result, repairs


def _code_in(cell: Cell, names: frozenset[str]) -> str | None:
    if cell.type == "code" or not names & set(_DEFINES.findall(cell.source)):
        return None
    for source in (cell.source, "\n\n".join(_FENCED.findall(cell.source))):
        if names & defined_names(source):
            return source
    return None
