"""Marks -> grades.csv, which staff open in a spreadsheet."""

import csv
import io
from collections.abc import Mapping, Sequence

from autograder.views.report import number

PERSON = ("name", "email")


def table(
    marks: Mapping[str, Mapping[str, float | None]], roster: Mapping[str, Mapping[str, str]]
) -> str:
    """Return CSV: a line a student, a column a question, and the sum; empty where a person marks.

    Args:
        marks: Student id -> question -> points.
        roster: Student id -> name and email; may be empty.
    """
    questions = list(dict.fromkeys(q for points in marks.values() for q in points))
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    rows.writerow(["id", *(PERSON if roster else ()), *map(text, questions), "score"])
    for student, points in marks.items():
        person = roster.get(student, {})
        names = [person.get(key) or "" for key in PERSON] if roster else []
        earned = [points.get(question) for question in questions]
        rows.writerow(
            [*map(text, (student, *names)), *map(_points, earned), _points(_total(earned))]
        )
    return file.getvalue()


def text(cell: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _points(earned: float | None) -> str:
    return "" if earned is None else number(earned)


def _total(earned: Sequence[float | None]) -> float:
    return sum(points or 0.0 for points in earned)
