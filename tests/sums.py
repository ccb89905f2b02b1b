"""Pages and tables as a person adds them up: the lines of each, and its stated total."""

import csv
import io
import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

NUMBER = r"-?\d+(?:\.\d+)?"


@dataclass(frozen=True)
class Sum:
    """One page or table: where, its lines in points, and its total."""

    place: str
    lines: tuple[float, ...]
    total: float

    def adds_up(self) -> bool:
        """Return whether the lines make the total, to the last digit that is shown."""
        return round(100 * sum(self.lines)) == round(100 * self.total)


def of_report(page: str) -> Sum:
    """Return the table of report.html, and its headline."""
    table = page.split('<table class="marks"')[1].split("</table>")[0]
    table, _, end = table.partition("<tfoot>")
    cells = re.findall(rf"<td>(–|{NUMBER})(?: / {NUMBER})?</td></tr>", table)
    (total,) = re.findall(rf'class="total"><strong>({NUMBER})</strong>', page)
    assert re.findall(rf"<td>({NUMBER}) / {NUMBER}</td>", end) == [total]
    return Sum("report.html", tuple(0.0 if c == "–" else float(c) for c in cells), float(total))


def of_results(results: Mapping[str, Any]) -> Sum:
    """Return the tests of results.json, and its score."""
    lines = [test.get("score", 0.0) for test in results["tests"]]
    lines.append(-results["extra_data"]["late_penalty"])
    return Sum("results.json", tuple(lines), results["score"])


def of_notebook(text: str) -> Sum:
    """Return the headings of the notebook that Canvas gives back as feedback."""
    whole = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    lines = re.findall(rf"^## `[^`]+`: ({NUMBER}) of", whole, re.MULTILINE)
    lines += re.findall(rf"^## Lateness: ({NUMBER})$", whole, re.MULTILINE)
    (total,) = re.findall(rf"^\*\*({NUMBER}) of", whole, re.MULTILINE)
    return Sum("feedback.ipynb", tuple(map(float, lines)), float(total))


def of_table(text: str) -> dict[str, Sum]:
    """Return the lines of grades.csv by id; those without a score are left out."""
    found = {}
    for row in csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))):
        known = {"id", "name", "email", "score", "state"}
        lines = [float(cell) for name, cell in row.items() if name not in known and cell]
        if row["score"] and row["id"] != "maximum":
            found[row["id"]] = Sum("grades.csv", tuple(lines), float(row["score"]))
    return found


def of_term(page: str) -> list[Sum]:
    """Return each homework of term.html that has a score, and its table of questions."""
    first, *tables = page.split("<tbody>")[1:]
    rows = re.findall(rf'<td class="number">({NUMBER}|none)</td><td class="number">', first)
    found = []
    for total, table in zip([one for one in rows if one != "none"], tables, strict=True):
        cells = re.findall(rf'<td class="number">(open|{NUMBER})', table)
        lines = tuple(0.0 if cell == "open" else float(cell) for cell in cells)
        found.append(Sum("term.html", lines, float(total)))
    return found


def of_gradebook(path: Path, homework: str) -> dict[str, float]:
    """Return what nbgrader's own export gives each student: the marks less the late penalty."""
    query = """
        select student_id, (
            select sum(coalesce(manual_score, auto_score, 0) + coalesce(extra_credit, 0))
            from grade where notebook_id = submitted_notebook.id
        ) - coalesce(late_submission_penalty, 0)
        from submitted_notebook
        join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
        join assignment on assignment.id = submitted_assignment.assignment_id
        where assignment.name = ?
    """
    with sqlite3.connect(path) as database:
        found = dict(database.execute(query, (homework,)).fetchall())
    database.close()
    return found


def same(sums: Iterable[Sum], total: float) -> None:
    """Fail if a page does not add up, or has a different total."""
    for one in sums:
        assert one.adds_up(), one
        assert one.total == pytest.approx(total, abs=0.001), one
