"""A master notebook of Otter Assign -> the same in nbgrader's source form.

The format is that of otter-grader 5 to 7 (docs/otter_assign/notebook_format): raw cells, or
Markdown cells with a block "```otter", in which marks such as `# BEGIN QUESTION` enclose the parts.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

from autograder.authoring import markers
from autograder.authoring.imports import foreign, otter_answers, otter_tests
from autograder.records.errors import UserError

_FENCED = re.compile(r"\s*```otter[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL)
_BOUNDARY = re.compile(r"#\s+(begin|end)\s+(question|prompt|solution|tests)\s*$", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"#\s+assignment\s+config", re.IGNORECASE)
_OLD = re.compile(r"^[ \t]*```[ \t]*\n[ \t]*BEGIN (?:ASSIGNMENT|QUESTION)\b", re.MULTILINE)
_IGNORED = re.compile(r"(##\s*ignore\s*##|#\s*ignore)", re.IGNORECASE)


@dataclass
class _Question:
    """An otter question, while its cells are read."""

    where: str
    """File, cell and question, for messages."""
    name: str
    manual: bool
    points: Any
    together: bool
    place: str
    tests: list[otter_tests.Test] = field(default_factory=list)
    cells: list[nbformat.NotebookNode] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    """The Markdown of its solution."""
    pictures: dict[str, Any] = field(default_factory=dict)
    """The attachments of that Markdown."""


def old_form(notebook: nbformat.NotebookNode) -> str:
    """Return the place of the first cell in the form of otter 0 to 3; "" if there is none."""
    text = (cell for cell in notebook.cells if cell.cell_type == "markdown")
    return next((str(cell[foreign.PLACE]) for cell in text if _OLD.search(cell.source)), "")


def is_otter(notebook: nbformat.NotebookNode) -> bool:
    """Return whether a notebook has questions in otter's form."""
    return any(_boundary(cell) == ("begin", "question") for cell in notebook.cells)


def as_nbgrader(path: Path, notebook: nbformat.NotebookNode) -> tuple[str, ...]:
    """Change a notebook's cells to nbgrader's form; return notes for its author."""
    notes: list[str] = []
    made: list[nbformat.NotebookNode] = []
    question: _Question | None = None
    block = ""
    names = {
        _begun(f"{path}: cell {number}", cell).name
        for number, cell in enumerate(notebook.cells, start=1)
        if _boundary(cell) == ("begin", "question")
    }
    begun: set[str] = set()
    for number, cell in enumerate(notebook.cells, start=1):
        where = f"{path}: cell {number}"
        if _IGNORED.match(cell.source) or _ASSIGNMENT.match(_raw(cell)):
            continue
        if edge := _boundary(cell):
            begins, kind = edge[0] == "begin", edge[1]
            asked = not begins or kind != "question"
            around = "" if begins or kind == "question" else kind
            if asked != (question is not None) or block != around:
                inside = f"`{block}`" if block else "a question" if question else "no question"
                raise UserError(
                    f"{where}: `# {' '.join(edge).upper()}` is in {inside}; begin and end each block "
                    "of otter's in turn"
                )
            if kind != "question":
                block = kind if begins else ""
            elif begins:
                question = _begun(where, cell)
                if question.name in begun:
                    raise UserError(
                        f"{question.where} is there a second time; give it a different `name`"
                    )
                begun.add(question.name)
            elif question is not None:
                made += _cells(question, notes, names)
                question = None
            continue
        if question is None:
            cell.source = otter_answers.without_ignored(where, cell.source)
            made.append(cell)
        else:
            _take(question, block, where, cell, notes)
    if question is not None:
        raise UserError(f"{question.where} has no `# END QUESTION`")
    notebook.cells = made
    return tuple(notes)


def _raw(cell: nbformat.NotebookNode) -> str:
    """Return a cell's instructions for otter; "" for text or code."""
    if cell.cell_type == "raw":
        return str(cell.source).lstrip()
    fenced = _FENCED.fullmatch(cell.source) if cell.cell_type == "markdown" else None
    return fenced[1].lstrip() if fenced else ""


def _boundary(cell: nbformat.NotebookNode) -> tuple[str, str] | None:
    first = _raw(cell).partition("\n")[0]
    found = _BOUNDARY.match(first)
    return (found[1].lower(), found[2].lower()) if found else None


def _begun(where: str, cell: nbformat.NotebookNode) -> _Question:
    config = otter_tests.configuration(where, _raw(cell))
    name = config.get("name")
    if not isinstance(name, str | int | float) or isinstance(name, bool):
        raise UserError(
            f"{where}: this question has no name; write `name: q1` below its first line"
        )
    id = re.sub(r"[^A-Za-z0-9_-]+", "_", str(name))
    return _Question(
        where=f"{where}: question {id!r}",
        name=id,
        manual=bool(config.get("manual")),
        points=config.get("points"),
        together=bool(config.get("all_or_nothing")),
        place=cell.get(foreign.PLACE, ""),
    )


def _take(
    question: _Question, block: str, where: str, cell: nbformat.NotebookNode, notes: list[str]
) -> None:
    if block == "tests":
        if cell.cell_type != "code":
            raise UserError(f"{where} is in `# BEGIN TESTS` but is not code")
        if cell.source.strip():
            question.tests.append(otter_tests.read(where, cell))
    elif block == "prompt":
        pass  # students get an empty answer, with the instructions in a comment
    elif block == "solution" and cell.cell_type == "markdown":
        question.words.append(cell.source)
        question.pictures |= cell.get("attachments", {})
    else:
        source = otter_answers.without_ignored(where, cell.source)
        code = cell.cell_type == "code"
        answer = otter_answers.with_marks(where, source) if code else source
        cell.source = answer
        if answer != source:
            cell.metadata["nbgrader"] = _marks(question, grade=False)
        elif block == "solution":
            notes.append(
                f"{where} is a solution of {question.name} without a line that ends in "
                "`# SOLUTION`, so students get all of it, and their changes there do not "
                "count"
            )
        question.cells.append(cell)


def _marks(question: _Question, *, grade: bool, points: float = 0.0) -> dict[str, Any]:
    answers = sum("nbgrader" in cell.metadata for cell in question.cells)
    id = question.name if grade else f"{question.name}_answer" + f"_{answers + 1}" * bool(answers)
    return markers.metadata(id, grade=grade, solution=True, points=points if grade else None)


def _cells(
    question: _Question, notes: list[str], names: Collection[str]
) -> Iterator[nbformat.NotebookNode]:
    name = question.name
    if question.manual:
        if question.tests:
            raise UserError(f"{question.where} is `manual` and has tests; make two questions of it")
        points = otter_tests.number(
            question.where, 1.0 if question.points is None else question.points
        )
        answers = [cell for cell in question.cells if "nbgrader" in cell.metadata]
        if not question.words and answers:
            answers[-1].metadata["nbgrader"] = _marks(question, grade=True, points=points)
        yield from question.cells
        if question.words or not answers:
            words = "\n\n".join(question.words) or "The marking criteria are not written down."
            answer = v4.new_markdown_cell(words)
            if question.pictures:
                answer.attachments = question.pictures
            answer.metadata["nbgrader"] = _marks(question, grade=True, points=points)
            yield _without_id(answer, question.place)
        return
    yield from question.cells
    if question.words:
        notes.append(f"the solution's text of {name} was left out: its tests grade the code")
    if not question.tests:
        notes.append(f"{name} has no test and is not `manual`, so it is not graded")
        return
    worth = otter_tests.points(question.where, question.points, question.tests)
    each = list(zip(question.tests, worth, strict=True))
    if question.together:
        each = [(otter_tests.joined(question.tests), sum(points for _, points in each))]
    stem = name
    while len(each) > 1 and any(f"{stem}_{n + 1}" in names for n in range(len(each))):
        stem += "_test"
    for place, (test, points) in enumerate(each, start=1):
        cell = v4.new_code_cell(test.source)
        id = name if len(each) == 1 else f"{stem}_{place}"
        cell.metadata["nbgrader"] = markers.metadata(id, grade=True, solution=False, points=points)
        yield _without_id(cell, test.place)


def _without_id(cell: nbformat.NotebookNode, place: str) -> nbformat.NotebookNode:
    cell[foreign.PLACE] = place
    cell.pop("id", None)  # nbformat makes up a new id each time it reads
    return cell
