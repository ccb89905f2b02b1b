"""Sheets -> a page and a notebook for students, and a CSV in which staff type answers."""

from collections.abc import Sequence
from typing import Any

from autograder.course.people import People
from autograder.records import codec
from autograder.reports.tables import csv_of, text
from autograder.reports.templates import environment
from autograder.staff.defence.records import CHOICES, LETTERS
from autograder.staff.defence.sheets.sheet import Sheet, spans

RULES = (
    f"Each question has one right choice: right counts 1, wrong takes off 1/{CHOICES - 1}, left out "
    "counts 0. The code is yours, without comments. An edit shows the changed line; each is "
    "applied separately to the code shown. Two results are the same if they have the same numbers "
    "in the same shape; numbers are shown with three digits."
)
ANSWERS = "ANSWERS"
"""The name of the dict with the letters in a notebook's cell."""

_environment = environment("autograder.staff.defence.sheets", ".")


def page(sheet: Sheet) -> str:
    """Return a sheet as a page without scripts or external files."""
    template = _environment.get_template("sheet.html.jinja")
    return template.render(sheet=sheet, rules=RULES, spans=spans)


def notebook(sheet: Sheet) -> str:
    """Return a sheet as a notebook, whose last cell takes the letters."""
    head = f"# {sheet.title}: questions on your answers\n\nFor {sheet.student}, sheet {sheet.code}."
    nodes = [_text(f"{head}\n\n{RULES}")]
    for box in sheet.boxes:
        nodes.append(_text(f"**Box {box.letter}**\n\n{_fenced(box.numbered)}"))
    for question in sheet.questions:
        given = question.values and _fenced(question.values)
        options = "\n".join(f"- **{letter}**: {said}" for letter, said in _marked(question.options))
        parts = [f"## Question {question.number}", question.text, given, options]
        nodes.append(_text("\n\n".join(filter(None, parts))))
    lines = [f'    {q.number}: "",' for q in sheet.questions]
    said = f"# Write one of {', '.join(LETTERS)} for each question, or leave it empty."
    fields = [f'SHEET = "{sheet.code}"', f"{ANSWERS} = {{", *lines, "}"]
    nodes.append(_code("\n".join([said, *fields])))
    for place, node in enumerate(nodes):
        node["id"] = "answers" if node["cell_type"] == "code" else f"part-{place}"
    whole = {"cells": nodes, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return codec.indented(whole) + "\n"


def _marked(options: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return choices with values set as code, but not the names of edits."""
    return [
        (letter, said if "`" in said or said.startswith("edit ") else f"`{said}`")
        for letter, said in options
    ]


def _fenced(code: str) -> str:
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}\n{code}\n{fence}"


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    code = {"cell_type": "code", "metadata": {}, "source": source}
    return code | {"outputs": [], "execution_count": None}


def blank(sheets: Sequence[Sheet], people: People) -> str:
    """Return a CSV in which staff type the letters that they read, one line per sheet."""
    most = max((len(sheet.questions) for sheet in sheets), default=0)
    lines = [["id", "name", "sheet", *map(str, range(1, most + 1))]]
    for sheet in sheets:
        name = people.name_of(sheet.student)
        lines.append([text(sheet.student), text(name), sheet.code, *[""] * most])
    return csv_of(lines)
