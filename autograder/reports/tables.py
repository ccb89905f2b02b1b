"""Marks -> grades.csv and mistakes.csv, which staff open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from autograder.codec import shown
from autograder.marking.mark import number
from autograder.model import Misconception

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
    rows = [["id", *(PERSON if roster else ()), *map(text, questions), "score"]]
    for student, points in marks.items():
        person = roster.get(student, {})
        names = [person.get(key) or "" for key in PERSON] if roster else []
        earned = [points.get(question) for question in questions]
        rows.append([*map(text, (student, *names)), *map(_points, earned), _points(_total(earned))])
    return _csv(rows)


def mistakes(found: Mapping[str, Mapping[str, Misconception]]) -> str:
    """Return CSV: a line a wrong answer that fits a known mistake, with what can be said of it.

    Args:
        found: Student id -> question -> misconception.
    """
    rows = [["id", "question", "mistake", "where to look", "what it looks like"]]
    for student, questions in found.items():
        for question, fits in questions.items():
            words = (student, question, fits.name, fits.nudge, fits.explanation)
            rows.append([*map(text, words)])
    return _csv(rows)


def _csv(rows: Iterable[Sequence[str]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return file.getvalue()


def text(cell: str) -> str:
    """Return text that no spreadsheet takes for a formula, and all of which it shows."""
    seen = shown(cell)
    return f"'{seen}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else seen


def _points(earned: float | None) -> str:
    return "" if earned is None else number(earned)


def _total(earned: Sequence[float | None]) -> float | None:
    """Return the sum; None where nothing was marked, which is no earned zero."""
    if all(points is None for points in earned):
        return None
    return sum(points or 0.0 for points in earned)
