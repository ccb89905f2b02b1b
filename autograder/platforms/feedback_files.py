"""A page and marks -> a feedback notebook with the page's content, and the zip for a platform."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.course.course import Course
from autograder.marking.mark import number, points
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks
from autograder.reports import sanitize, student_files
from autograder.reports.feedback_text import texts
from autograder.store import files, results

_WHEN = (1980, 1, 1, 0, 0, 0)  # a fixed time, for the same bytes each time


def notebook(
    grade: Grade,
    homework: Homework,
    course: Course,
    *,
    explain: bool,
    comments: Mapping[str, str] | None = None,
) -> str:
    """Return a notebook that reads like report.html: only text, and nothing runs.

    Marks include people's, whose comments are given by question or nbgrader's cell name. With
    `explain`, the mistakes that answers match are named.
    """
    comments = comments or {}
    head = [
        f"# {inert_line(homework.title)}: feedback",
        f"{inert_line(course.title)}, {inert_line(course.term)}",
        f"**{number(grade.score)} of {points(grade.possible)}**",
        *(f"- {inert_line(remark)}" for remark in grade.remarks),
    ]
    cells = ["\n\n".join(head[:3]) + "\n\n" + "\n".join(head[3:])]
    for mark in grade.marks:
        worth = (
            f"{number(mark.earned)} of {points(mark.points)}"
            if mark.earned is not None
            else (f"open, {points(mark.points)}")
        )
        lines = [f"## `{mark.question}`: {worth}{' (extra credit)' if mark.extra else ''}"]
        lines += texts(mark, explain=explain)
        if said := comments.get(mark.question):
            lines.append(f"Comment: {said}")
        cells.append("\n\n".join([lines[0], *map(inert_text, lines[1:])]))
    if grade.penalty:
        cells.append(f"## Lateness: {number(-grade.penalty)}")
    questions = {mark.question for mark in grade.marks}
    cells += [
        inert_text(f"Comment: {said}") for id, said in comments.items() if id not in questions
    ]
    return as_notebook(cells)


def page(
    folder: Path, grade: Grade, given: HandMarks | None, homework: Homework, course: Course
) -> str:
    """Return a student's page with the marks of today, including people's, whatever the file has.

    Raises:
        UserError: the facts are unreadable, or there are neither facts nor a page.

    """
    if results.has_log(folder):
        return student_files.current(folder, grade, given, homework, course)[files.REPORT]
    report = folder / files.REPORT
    try:
        return report.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UserError(f"{files.REPORT} is missing; run `autograder grade` again") from error


def as_notebook(texts: Sequence[str]) -> str:
    """Return a notebook of Markdown cells."""
    nodes = [
        {"cell_type": "markdown", "id": f"feedback-{n}", "metadata": {}, "source": text}
        for n, text in enumerate(texts)
    ]
    whole = {"cells": nodes, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return codec.indented(whole) + "\n"


def inert_text(text: str) -> str:
    """Return Markdown that shows the text line by line, with nothing active in it."""
    return sanitize.markdown(codec.shown(text)).replace("\n", "  \n")


def inert_line(text: str) -> str:
    """Return such Markdown on one line."""
    return inert_text(codec.one_line(text))


def packed(contents: Mapping[str, bytes]) -> bytes:
    """Return a zip of files by name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(contents.items()):
            archive.writestr(zipfile.ZipInfo(name, _WHEN), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()
