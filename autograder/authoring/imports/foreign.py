"""A notebook made elsewhere -> one with known metadata, and a note on what was left out."""

import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat

from autograder.authoring import markers, release, text_source
from autograder.records import codec
from autograder.records.errors import UserError

KEPT = frozenset("autograder cellView deletable editable jupyter nbgrader slideshow tags".split())
"""Metadata of a cell that students get unchanged."""
PLACE = "place"
"""A cell's entry, until it is written, for where its author finds it: "cell 3"."""
_OF_EDITORS = frozenset(
    """
    ExecuteTime code_folding collapsed colab colab_type celltoolbar execution executionInfo
    format hidden heading_collapsed id init_cell jupytext kernelspec language_info
    lines_to_next_cell name nbpresent outputId pycharm run_control scrolled toc trusted
    varInspector vscode widgets
    """.split()
)
"""Metadata that only affects an editor's display."""
_MARKS = frozenset(
    """
    cell_type checksum grade grade_id locked points remove schema_version solution task
    """.split()
)
"""Metadata of a cell, under `nbgrader`; CoCalc removes a cell that has `remove`."""
_CONFIG = "nbgrader_config.py"
_DELIMITER = re.compile(
    r"""^[ \t]*c\.\w+\.(begin|end)_(solution|test|mark_scheme)_delimeter[ \t]*=[ \t]*"""
    r"""(["'])(.+?)\3""",
    re.MULTILINE,
)
_USUAL = {"solution": "SOLUTION", "test": "HIDDEN TESTS", "mark_scheme": "MARK SCHEME"}


def own_markers(path: Path) -> dict[str, str]:
    """Return the markers that nbgrader_config.py sets for a notebook, and what to write instead.

    It is in the notebook's folder, or up to two above: the folder of nbgrader's course.
    """
    found: dict[str, str] = {}
    for folder in path.resolve().parents[:3]:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            text = (folder / _CONFIG).read_text(encoding="utf-8")
            for edge, kind, _, marker in _DELIMITER.findall(text):
                if not markers.MARKER.search(marker):
                    found[marker] = (
                        f"a marker that {folder / _CONFIG} sets but import does not read; "
                        f"write `### {edge.upper()} {_USUAL[kind]}`"
                    )
    return found


def language(notebook: nbformat.NotebookNode) -> str:
    """Return a notebook's language; "python" if nothing names another."""
    kernel = notebook.metadata.get("kernelspec", {})
    info = notebook.metadata.get("language_info", {})
    named = re.match(r"ir$|julia|bash$", str(kernel.get("name", "")))  # others may be anything
    return str(kernel.get("language") or info.get("name") or (named[0] if named else "python"))


def read(path: Path) -> tuple[nbformat.NotebookNode, tuple[str, ...]]:
    """Return a notebook with current metadata, and notes for its author."""
    try:
        nodes = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(nodes, dict) and nodes.get("nbformat") == 4:
            notebook = nbformat.from_dict(nodes)
        else:
            notebook = nbformat.reads(json.dumps(nodes), as_version=4)
            for cell in notebook.cells:
                cell.pop("id", None)  # nbformat makes up a new id each time it reads
        ids = Counter(cell.get("id") for cell in notebook.cells)
        for number, cell in enumerate(notebook.cells, start=1):
            cell.source = "".join(cell.source)
            cell[PLACE] = f"cell {number}"
            if ids[cell.get("id")] > 1:  # of copied cells
                cell.pop("id", None)
        notes = (*_for_staff(notebook), *_unknown(notebook))
        release.upgrade(notebook)
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror})") from error
    except Exception as error:  # nbformat and nbgrader may raise anything for mangled notebooks
        said = codec.one_line(str(error))[:200]
        raise UserError(f"{path} is not a notebook that nbgrader knows ({said})") from error
    return notebook, notes


def _for_staff(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """Turn the cells that CoCalc removes into text for staff; report them and the points lost."""
    taken = []
    for number, cell in enumerate(notebook.cells, start=1):
        marks = cell.metadata.get("nbgrader", {})
        if not marks.get("remove"):
            continue
        graded = ", which was graded" * bool(marks.get("grade"))
        taken.append(f"{_called(number, marks)}{graded}")
        if cell.cell_type != "markdown":
            fence = max([*re.findall(r"`{3,}", cell.source), "``"], key=len) + "`"
            cell.source = f"{fence}python\n{cell.source}\n{fence}"
            cell.cell_type = "markdown"
            for key in ("outputs", "execution_count"):
                cell.pop(key, None)
        cell.metadata = nbformat.from_dict({"autograder": {"role": "staff"}})
    if taken:
        yield (
            "CoCalc removes these cells from students' notebooks, so they are text for "
            f"staff now, and never run: {', '.join(taken)}"
        )


def _unknown(notebook: nbformat.NotebookNode) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for key in sorted(notebook.metadata.keys() - _OF_EDITORS):
        found[f"`{key}`"] = ["the notebook"]
    for number, cell in enumerate(notebook.cells, start=1):
        marks = cell.metadata.get("nbgrader", {})
        unknown = [f"`{key}`" for key in cell.metadata.keys() - KEPT - _OF_EDITORS]
        unknown += [f"`nbgrader.{key}`" for key in marks.keys() - _MARKS]
        unknown += [
            f"the tag `{tag}`" for tag in cell.metadata.get("tags", ()) if tag != text_source.RAISES
        ]
        for key in sorted(unknown):
            found.setdefault(key, []).append(_called(number, marks))
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in KEPT})
    if found:
        named = "; ".join(f"{key} ({', '.join(places)})" for key, places in found.items())
        yield (
            "this metadata has no effect here, so it was left out, including tags; check "
            f"that students get what you intend: {named}"
        )


def _called(number: int, marks: Mapping[str, Any]) -> str:
    id = marks.get("grade_id")
    return f"cell {number} ({id})" if id else f"cell {number}"
