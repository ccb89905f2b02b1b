"""The kit's cells in a notebook: which ones it needs, their texts, and their places."""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import nbformat

import autograder
from autograder.authoring import markers, shown_checks
from autograder.course.cells import bound_names, defined_names, imported_names, used_names
from autograder.course.homework import HomeworkError

TITLE = "# @title"
"""The first line of collapsed cells: Colab shows it as a title, Jupyter shows three dots."""
_OF_DATA = {
    *("as_plain", "unlike", "worded", "what_prints", "printed_lines", "classes_of", "is_finite"),
    *("lacking", "unlike_draws", "unlike_picture", "unlike_steps", "unlike_table"),
}
_COMPARING: dict[str, tuple[set[str], str, tuple[str, ...]]] = {
    "data_tool": (_OF_DATA, "how data are compared", ("kit/notebook/plain_data.py",)),
    "table_tool": (
        {"unlike_table"},
        "how tables are compared",
        ("records/tables.py", "kit/notebook/tables.py"),
    ),
    "steps_tool": ({"unlike_steps"}, "how objects are called", ("kit/notebook/steps.py",)),
    "figure_tool": ({"unlike_picture"}, "how figures are read", ("records/figures.py",)),
}
"""Cells for checks from spec.py: a check that uses one of the names needs the cell of these files."""
_SOMETIMES = (*_COMPARING, "style_tool", "ready_tool")
EVERY = ("value_tool", "check_tool", *_SOMETIMES)
"""The ids of all the kit's cells, whose sentences the kit's tests cover."""
_BEFORE = "EARLIER = dict(globals())"
_AFTER = """\
if "keep_apart" in globals():  # in a cell above, which may not have run
    keep_apart(globals())"""
_OURS = re.compile(r"^from autograder\.[\w.]+ import (?:\([^)]*\)|.*)\n\n?", re.MULTILINE)


def tools() -> dict[str, str]:
    """Return the kit's cells for every notebook: their ids and texts, in order."""
    return {
        "value_tool": _titled(
            "Given: the types and shapes that your functions may return", "records/values.py"
        ),
        "check_tool": _titled("Given: the check tool", "kit/notebook/check.py"),
    }


def tools_of(
    notebook: nbformat.NotebookNode, extra: Collection[str] = frozenset()
) -> dict[str, str]:
    """Return the kit's cells for one notebook: the common ones, and those that it needs.

    Checks from spec.py that compare data need the data cell, plots need the style, and graded
    notebooks need the list of questions.
    """
    texts, code = tools(), _code(notebook)
    used = {name for cell in code for name in used_names(cell.source)}
    for id, (names, title, files) in _COMPARING.items():
        if used & names:
            texts[id] = _titled(f"Given: {title}", *files)
    if any("matplotlib.pyplot" in imported_names(cell.source) for cell in code):
        texts["style_tool"] = _titled("Given: plot style", "kit/notebook/style.py")
    if graded := list(_graded(notebook, extra)):
        lines = "".join(f"    {json.dumps(item)},\n" for item in graded)
        call = f"# fmt: off\nready_to_submit([\n{lines}])\n# fmt: on"
        texts["ready_tool"] = f"{_titled('Ready to submit?', 'kit/notebook/ready.py')}\n\n\n{call}"
    return texts


def _titled(title: str, *files: str) -> str:
    """Return the text of modules as a cell: Colab shows the title and hides the code."""
    text = "\n\n\n".join(map(_text, files))
    return f"{TITLE} {title}\n{_BEFORE}\n{text}\n\n\n{_AFTER}"


def _text(file: str) -> str:
    """Return a module's text without our own imports, whose names the cells above define."""
    return _OURS.sub("", (Path(autograder.__file__).parent / file).read_text()).strip()


def _code(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [
        cell for cell in notebook.cells if cell.cell_type == "code" and cell.get("id") not in EVERY
    ]


def _graded(notebook: nbformat.NotebookNode, extra: Collection[str]) -> Iterator[tuple[Any, ...]]:
    """Yield a notebook's graded cells in the form for `ready_to_submit`."""
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade"):
            id, kind = marks["grade_id"], "written" if marks.get("solution") else "check"
            if id in extra:
                kind = "extra" if kind == "check" else "written extra"
            yield kind, id, marks.get("points", 0)
        elif marks.get("solution"):
            # Students lack names that only the solution defines.
            _, left = markers.parted(cell.source, answer=True)
            yield "answer", sorted(defined_names(left))


def refuse_names(notebook: nbformat.NotebookNode, where: str) -> None:
    """Raise HomeworkError if a cell redefines a name of the kit, which the checks would then use."""
    cells = {cell.get("id"): cell.source for cell in notebook.cells if cell.get("id") in EVERY}
    kit = {name for source in cells.values() for name in defined_names(source) if name[0] != "_"}
    for cell in _code(notebook):
        if _lost_its_id(cell):
            continue
        if taken := sorted(bound_names(cell.source) & kit):
            raise HomeworkError(
                f"{where}: cell {cell.get('id')!r}: `{taken[0]}` is a name of the kit; choose a "
                "different one"
            )


def _draws(cell: nbformat.NotebookNode) -> bool:
    demo = cell.metadata.get("autograder", {}).get("role") == "demo"
    return demo and bool(used_names(cell.source) & {"show", "draw_matrices"})


def _tests(cell: nbformat.NotebookNode) -> bool:
    marks = cell.metadata.get("nbgrader", {})
    return bool(cell.cell_type == "code" and marks.get("grade") and not marks.get("solution"))


def _lost_its_id(cell: nbformat.NotebookNode) -> bool:
    """Return whether a cell is one of the kit's own without its id."""
    is_check = _tests(cell) and "check" in used_names(cell.source)
    return bool(cell.source.startswith(TITLE)) and not is_check


def _has_tool(notebook: nbformat.NotebookNode) -> bool:
    """Return whether a notebook has the kit's cell with `check`."""
    return any(
        cell.get("id") == "check_tool"
        or (_lost_its_id(cell) and "check" in defined_names(cell.source))
        for cell in notebook.cells
        if cell.cell_type == "code"
    )


def _checks(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the visible checks, unlike the bare tests of imported notebooks.

    Such tests, and students' functions, may have a `check` of their own.
    """
    own = not _has_tool(notebook) and any(
        "check" in bound_names(cell.source) for cell in _code(notebook)
    )
    return [
        cell
        for cell in notebook.cells
        if _tests(cell)
        and "check" in used_names(cell.source)
        and (not own or shown_checks.follows(cell.source))
    ]


def title_checks(notebook: nbformat.NotebookNode) -> None:
    """Put a title above each visible check, unless its author has written one."""
    for cell in _checks(notebook):
        if not cell.source.startswith(TITLE):
            cell.source = f"{TITLE} Check: {cell.metadata['nbgrader']['grade_id']}\n{cell.source}"


def _above_the_answers(notebook: nbformat.NotebookNode) -> int:
    marked = (bool(cell.metadata.get("nbgrader")) for cell in notebook.cells)
    place = next(number for number, is_marked in enumerate(marked) if is_marked)
    while place > 1 and notebook.cells[place - 1].cell_type == "markdown":
        place -= 1
    return place


def with_tools(notebook: nbformat.NotebookNode, extra: Collection[str] = frozenset()) -> bool:
    """Put the kit's cells into a notebook whose checks use them; return whether it changed.

    Cells with a title as their first line are collapsed, both the kit's and the author's. So are
    checks and demos that draw: only their output matters.
    """
    before = json.dumps(notebook)
    if _checks(notebook) and not _has_tool(notebook):
        tool = nbformat.v4.new_code_cell(id="check_tool")
        notebook.cells.insert(_above_the_answers(notebook), tool)
    cells = {cell.get("id"): cell for cell in notebook.cells}
    if "check_tool" in cells:
        texts = tools_of(notebook, extra)
        for id in _SOMETIMES:
            if id in cells and id not in texts:
                notebook.cells.remove(cells[id])
        for id, text in texts.items():
            if id not in cells:
                cells[id] = nbformat.v4.new_code_cell(id=id)
                first = notebook.cells.index(cells["check_tool"])
                later = {"style_tool": first + 1, "ready_tool": len(notebook.cells)}
                notebook.cells.insert(later.get(id, first), cells[id])
            cells[id].source = text
        if "ready_tool" in texts:
            cells["ready_tool"].metadata["autograder"] = {"role": "demo"}
    title_checks(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code" and (cell.source.startswith(TITLE) or _draws(cell)):
            cell.metadata["jupyter"] = {"source_hidden": True}
            cell.metadata["cellView"] = "form"  # Colab's
    return json.dumps(notebook) != before
