"""Sheets of a class -> one PDF to print: a page each, with an answer strip."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from autograder.course.people import People
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.defence.sheets.forms import RULES
from autograder.staff.defence.sheets.sheet import Sheet, spans
from autograder.staff.paper import pdf

TEMPLATE = (
    files("autograder.staff.defence.sheets").joinpath("sheet.typ").read_text(encoding="utf-8")
)
_AT_A_TIME = 50
"""Sheets that are typeset together: they take half a gigabyte."""
_NARROW = 42
"""Characters of a choice, so that two are beside each other."""


def printed(sheets: Sequence[Sheet], people: People, sandbox: Sandbox) -> bytes:
    """Return a PDF of all sheets.

    Raises:
        UserError: it cannot be made.
    """
    title = f"{sheets[0].title}: questions on answers"
    parts = [
        {
            "title": title,
            "rules": RULES,
            "sheets": [
                _data(one, people.name_of(one.student))
                for one in sheets[start : start + _AT_A_TIME]
            ],
        }
        for start in range(0, len(sheets), _AT_A_TIME)
    ]
    return pdf.filled(TEMPLATE, parts, _AT_A_TIME, sandbox)


def _data(sheet: Sheet, name: str) -> dict[str, Any]:
    return {
        "student": sheet.student,
        "name": name,
        "title": sheet.title,
        "course": sheet.course,
        "code": sheet.code,
        "boxes": [
            {
                "letter": box.letter,
                "lines": box.source.split("\n"),
                "edits": [[name, spans(says)] for name, says in box.edits],
            }
            for box in sheet.boxes
        ],
        "questions": [
            {
                "number": one.number,
                "text": spans(one.text),
                "given": [list(pair) for pair in one.given],
                "options": [[letter, spans(said)] for letter, said in one.options],
                "narrow": all(len(said) <= _NARROW for _, said in one.options),
            }
            for one in sheet.questions
        ],
    }
