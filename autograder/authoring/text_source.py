"""A notebook written as text: source/<name>/<name>.py, from which `release` makes it.

A cell begins with a line `# %%`, followed by its kind:

    # %% text                 Markdown: each line after `# `, or as it is between triple quotes
    # %% provided             code for students
    # %% demo                 code that only illustrates
    # %% kit                  where the kit's own cells go; default: above the first answer
    # %% answer mean          the answer to the question `mean`, with `### BEGIN SOLUTION` and END
    # %% check mean 4         its visible check and its points
    # %% written why 2        a written answer and its points; the text is the sample answer
    # %% staff                text only for the solutions

Code that fails on purpose has Jupyter's tag as one more word: `# %% provided raises-exception`.
Cells get their ids from these words or from their position.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from nbformat import v4

from autograder.authoring import kit_cells, markers
from autograder.authoring.shown_checks import follows
from autograder.course.homework import HomeworkError
from autograder.submission import scripts

RAISES = "raises-exception"
"""Jupyter's tag for a cell that fails on purpose."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""The metadata of each of our notebooks."""
_MARK = "# %%"
_BEGINS = re.compile(r"#\s*%%")
_QUESTION = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FORMS = dict.fromkeys("text provided demo kit staff".split(), 0)
_FORMS |= {"answer": 1, "check": 2, "written": 2}
"""Kinds of cells -> the number of words that follow."""
_NUMBER = re.compile(r"\d+|\d*\.\d+|\d+\.")
_TEXT = ("text", "written", "staff")
_MAY_RAISE = ("provided", "demo")


def notebook(path: Path) -> nbformat.NotebookNode:
    """Return the notebook that a text describes; a HomeworkError names a bad line."""
    where = "/".join(path.parts[-3:])
    cells = [cell for _, cell in _cells(path, where)]
    if not cells:
        raise HomeworkError(f"{where}: no line begins a cell with `# %%`")
    made = v4.new_notebook(cells=cells, metadata=METADATA)
    kit_cells.title_checks(made)
    return made


def text(notebook: nbformat.NotebookNode) -> str:
    """Return the text of a notebook, leaving out anything that the text form cannot express."""
    parts = []
    for cell in notebook.cells:
        if cell.id in kit_cells.EVERY and cell.id != "check_tool":
            continue
        marks = cell.metadata.get("nbgrader", {})
        role = cell.metadata.get("autograder", {}).get("role", "")
        words = [role or ("text" if cell.cell_type == "markdown" else "provided")]
        source = cell.source.strip("\n")
        if cell.id == "check_tool":
            words, source = ["kit"], ""
        elif marks.get("grade"):
            points = f"{float(marks.get('points') or 0):g}"
            words = ["written" if marks.get("solution") else "check", marks["grade_id"], points]
            source = "" if follows(source) else source
        elif marks.get("solution"):
            words = ["answer", marks["grade_id"].removesuffix("_answer")]
        if words[0] in _MAY_RAISE and RAISES in cell.metadata.get("tags", ()):
            words.append(RAISES)
        if words[0] in _TEXT:
            # In Markdown, two trailing spaces are a line break.
            source = "\n".join(f"# {line}" if line else "#" for line in source.split("\n"))
        parts.append(f"{_MARK} {' '.join(words)}\n{source}".rstrip("\n") + "\n")
    return "\n".join(parts)


def lines_of_cells(path: Path) -> dict[str, int]:
    """Return the line of a text where each cell begins, by the cell's id."""
    return {cell.id: line for line, cell in _cells(path, path.name)}


def _read(path: Path, where: str) -> list[str]:
    """Return a text's lines; raise HomeworkError if it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise HomeworkError(f"{where} is not UTF-8 text; save it with this encoding") from error


def _begins(lines: Sequence[str], where: str) -> list[int]:
    """Return the positions of the lines that begin a cell; refuse code above the first one."""
    inside, ends = scripts.in_strings(lines)
    code = [n for n in range(len(lines)) if not (ends and inside[n])]
    begins = [n for n in code if _BEGINS.match(lines[n])]
    for n in code:
        if _BEGINS.match(lines[n].strip()) and n not in begins:
            raise HomeworkError(
                f"{where}: line {n + 1}: `{lines[n].strip()}` does not begin a cell, because it is "
                "indented; move it to the beginning of the line"
            )
    for n, line in enumerate(lines[: begins[0]] if begins else ()):
        if line.strip() and not line.startswith("#"):
            raise HomeworkError(
                f"{where}: line {n + 1} is above the first cell; write `# %% provided` above it"
            )
    return begins


def _cells(path: Path, where: str) -> Iterator[tuple[int, nbformat.NotebookNode]]:
    lines = _read(path, where)
    begins = _begins(lines, where)
    taken: set[str] = set()
    seen: dict[tuple[bool, str], int] = {}
    for number, (begin, end) in enumerate(itertools.pairwise([*begins, len(lines)])):
        words = _BEGINS.sub("", lines[begin], count=1).split()
        kind = words[0] if words else "provided"
        raises = kind in _MAY_RAISE and words[1:] == [RAISES]
        words = words[: 1 if raises else None]
        if kind not in _FORMS or len(words or [kind]) != 1 + _FORMS[kind]:
            raise HomeworkError(
                f"{where}: line {begin + 1}: `{lines[begin].strip()}` does not begin a "
                f"cell; use {', '.join(_FORMS)}, the last three with a question, and "
                "points"
            )
        if len(words) > 1 and not _QUESTION.fullmatch(words[1]):
            raise HomeworkError(
                f"{where}: line {begin + 1}: `{lines[begin].strip()}`: {words[1]} is not a name for "
                "a question; write letters without accents, digits, _ and -"
            )
        if len(words) > 2 and not _NUMBER.fullmatch(words[2]):
            raise HomeworkError(
                f"{where}: line {begin + 1}: `{lines[begin].strip()}`: {words[2]} is not a number of points"
            )
        if (
            _FORMS[kind]
            and (twice := seen.setdefault((kind == "answer", words[1]), begin)) != begin
        ):
            raise HomeworkError(
                f"{where}: line {begin + 1}: `{lines[begin].strip()}` is already in line "
                f"{twice + 1}; each question has only one"
            )
        source = "\n".join(lines[begin + 1 : end]).strip("\n")
        written = [line for line in source.split("\n") if line.strip()]
        if not words and written and all(line.startswith("#") for line in written):
            raise HomeworkError(
                f"{where}: line {begin + 1}: the cell contains only comments; write `# "
                "%% text` for text, and `# %% provided` for code"
            )
        text = scripts.text(source) if kind in _TEXT else source
        cell = _cell(kind, words[1:], text, number, taken)
        if raises:
            cell.metadata["tags"] = [RAISES]
        yield begin + 1, cell


def _cell(
    kind: str, words: list[str], source: str, number: int, taken: set[str]
) -> nbformat.NotebookNode:
    new = v4.new_markdown_cell if kind in _TEXT else v4.new_code_cell
    question = words[0] if words else ""
    id = {"answer": f"{question}_answer", "kit": "check_tool"}.get(kind, question)
    id = id or f"{kind}_{number + 1}"
    cell = new(source, id=id if id not in taken else f"{id}_{number + 1}")
    taken.add(cell.id)
    if kind in ("demo", "staff"):
        cell.metadata["autograder"] = {"role": kind}
    if kind in ("answer", "check", "written"):
        points = words[1] if len(words) > 1 else ""
        cell.metadata["nbgrader"] = markers.metadata(
            id,
            grade=kind != "answer",
            solution=kind != "check",
            points=(float(points) if "." in points else int(points)) if points else None,
        )
    return cell
