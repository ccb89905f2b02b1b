"""Tables of a homework's lab measurements, beside published figures.

source/<name>/staff/lab.py has ROWS and measure(seed), which `make figures` runs; lab.json beside it
has the measurements, with seeds and machine. The table with both is in the instructor's notebook,
in a cell for staff only.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.authoring import both_forms
from autograder.course import homework
from autograder.kit.weight_checks import Row

CELL = "lab_table"
"""The id of the cell that has the table."""


def names(course: Path) -> list[str]:
    """Return the homeworks that have a lab."""
    return [name for name in homework.names(course) if (_staff(course, name) / "lab.py").is_file()]


def rows(course: Path, name: str) -> Mapping[str, Row]:
    """Return the rows of a homework's table by the keys that `measure` returns."""
    found: Mapping[str, Row] = homework.staff_module(course, name, "lab").ROWS
    return found


def write_table(course: Path, name: str) -> None:
    """Put the table of lab.json into the instructor's notebook."""
    path = course / "source" / name / f"{name}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cell = next((cell for cell in notebook["cells"] if cell["id"] == CELL), None)
    if cell is None:
        raise homework.HomeworkError(f"source/{name}/{name}.ipynb: there is no cell {CELL!r}")
    cell["source"] = table(course, name).splitlines(keepends=True)
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    both_forms.write(path, text.encode())


def table(course: Path, name: str) -> str:
    """Return the table of lab.json as Markdown."""
    saved, wanted = _saved(course, name), rows(course, name)
    seeds = "".join(f" Seed {seed} |" for seed in saved["seeds"])
    lines = [
        "## The lab's figures beside the reference's (staff only)\n",
        f"Made by `make figures` on {saved['machine']}, torch {saved['torch']}. "
        "This cell is left out of the release.\n",
        f"| What | Reference |{seeds} The same? |",
        f"|---|---|{'---|' * len(saved['seeds'])}---|",
    ]
    notes = list(dict.fromkeys(row.why for row in wanted.values() if row.why))
    for key, row in wanted.items():
        figures = saved["measured"][key]
        same = "yes" if row.holds(figures) else "**no**"
        same += f" ({notes.index(row.why) + 1})" if row.why else ""
        written = " | ".join(format(figure, row.form) for figure in figures)
        lines.append(f"| {row.what} | {row.reference} | {written} | {same} |")
    lines += ["", *(f"({number}) {why}  " for number, why in enumerate(notes, 1))]
    return "\n".join(lines).rstrip()


def complaints(course: Path, name: str) -> list[str]:
    """Return a complaint for each unexplained difference, and for an outdated table."""
    wanted, measured = rows(course, name), _saved(course, name)["measured"]
    if wanted.keys() != measured.keys():
        return ["staff/lab.json was measured for other rows; run `make figures`"]
    found = [
        f"{key} differs from the reference, and no reason is given"
        for key, row in wanted.items()
        if not row.why and not row.holds(measured[key])
    ]
    cells = homework.read_cells(course / "source" / name / f"{name}.ipynb")
    if table(course, name) not in [cell.source for cell in cells if cell.id == CELL]:
        found.append(
            f"the cell {CELL} differs from the table in staff/lab.json; run `make figures`"
        )
    return found


def _saved(course: Path, name: str) -> dict[str, Any]:
    path = _staff(course, name) / "lab.json"
    if not path.is_file():
        raise homework.HomeworkError(
            f"source/{name}/staff/lab.json is missing; run `make figures`, which measures it"
        )
    saved: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return saved


def _staff(course: Path, name: str) -> Path:
    return course / "source" / name / "staff"
