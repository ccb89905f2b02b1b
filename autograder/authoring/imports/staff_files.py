"""The initial files in staff/ of an imported homework: spec.py and rubrics."""

import contextlib
import importlib.util
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autograder.authoring.new import TEMPLATES
from autograder.course import rubrics
from autograder.course.cells import imported_names
from autograder.records.homework import Cell

_FILE_NAME = re.compile(r"[\w-]{1,100}")
_WARM = {"matplotlib": "matplotlib.pyplot", "pandas": "pandas", "scipy": "scipy", "torch": "torch"}
"""Slow packages, each with the module to import once for all submissions."""
_SPEC = (TEMPLATES / "imported" / "spec.py.txt").read_text(encoding="utf-8")


def write_rubrics(folder: Path, cells: Sequence[Cell]) -> None:
    """Write a rubric for each hand-marked answer from the notebook's hints; anchors are missing."""
    for place, cell in enumerate(cells):
        points, id = cell.points, cell.grade_id or ""
        fits = points is not None and not points % rubrics.STEP and points <= rubrics.MAX_POINTS
        if cell.role != "written" or points is None or not fits or not _FILE_NAME.fullmatch(id):
            continue  # `check` lists the missing parts
        before = cells[place - 1] if place else cell
        asked = before.type == "markdown" and before.role == "provided"
        sample = f"```\n{cell.source}\n```" if cell.type == "code" else cell.source
        rubric = rubrics.Rubric(
            question=id,
            text=_quoted(before.source if asked else ""),
            items=(rubrics.RubricItem(points, "Agrees with the sample answer."),),
            full="The sample answer.",
            half=rubrics.UNWRITTEN,
            none=rubrics.UNWRITTEN,
            sample=_quoted(sample),
            notes="",
        )
        folder.mkdir(exist_ok=True)
        (folder / f"{id}.md").write_text(rubrics.as_text(rubric), encoding="utf-8")


def _quoted(text: str) -> str:
    """Return a text as a quotation, so that its headings begin no section."""
    if not text.strip():
        return rubrics.UNWRITTEN
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def spec(name: str, title: str, path: Path, cells: Sequence[Cell], gives: Mapping[str, str]) -> str:
    """Return the text of spec.py, with a line for each graded cell."""
    graded = [cell for cell in cells if cell.grade_id and cell.points is not None]
    tests = [cell for cell in graded if cell.role == "check"]
    lines = [
        f"        Question({json.dumps(cell.grade_id)}{', check=Asserted()' * (cell in tests)}),"
        for cell in graded
    ]
    used = {module.split(".")[0] for module in imported(cells)}
    warm = [_WARM[module] for module in sorted(used & set(_WARM)) if is_there(module)]
    named = " ".join(f"{json.dumps(module)}," for module in warm)
    collected = _collected(path)
    given = "".join(f"        {text!r}: {why!r},\n" for text, why in gives.items())
    return _SPEC.format(
        name=name,
        names=", ".join(["Asserted"] * bool(tests) + ["Homework", "Question"]),
        title=json.dumps(title, ensure_ascii=False),
        warm=f"    warm=({named}),\n" if warm else "",
        collected=f"    collected={json.dumps(collected)},\n" if collected else "",
        gives=f"    allowed_leaks={{\n{given}    }},\n" if given else "",
        questions="\n".join(lines),
    )


def _collected(path: Path) -> str:
    """Return "assignment/notebook" for a notebook in an nbgrader course; "" for any other."""
    assignment = path.resolve().parent
    return f"{assignment.name}/{path.stem}" if assignment.parent.name == "source" else ""


def imported(cells: Iterable[Cell]) -> set[str]:
    """Return the modules that code cells import."""
    return {name for cell in cells if cell.type == "code" for name in imported_names(cell.source)}


def is_there(module: str) -> bool:
    """Return whether a module can be imported here."""
    with contextlib.suppress(ImportError, ValueError):
        return importlib.util.find_spec(module) is not None
    return False
