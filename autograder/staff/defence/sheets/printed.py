"""Sheets of a class -> one PDF to print: a page for each, with a block of boxes to scan."""

import importlib.util
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from autograder.course.people import People
from autograder.records.errors import UserError
from autograder.reports import style
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.defence.sheets import answer_block
from autograder.staff.defence.sheets.answer_block import Block, Label
from autograder.staff.defence.sheets.forms import RULES
from autograder.staff.defence.sheets.sheet import Sheet, spans
from autograder.staff.paper import pdf

TEMPLATE = style.paper() + (
    files("autograder.staff.defence.sheets").joinpath("sheet.typ").read_text(encoding="utf-8")
)
_AT_A_TIME = 50
"""The most sheets to typeset together, which takes half a gigabyte."""
_NARROW = 42
"""The most characters of choices that are printed two beside each other."""


def printed(
    sheets: Sequence[Sheet],
    people: People,
    sandbox: Sandbox,
    *,
    homework: str = "toy",
    round: int = 1,
) -> bytes:
    """Return a PDF of all sheets.

    Raises:
        UserError: the PDF cannot be made.
    """
    if importlib.util.find_spec("segno") is None:
        raise UserError(
            "segno missing: sheets need the extra `pdf` (pip install 'attention-homework-kit[pdf]')"
        )
    title = f"{sheets[0].title}: questions on answers"
    parts = [
        {
            "title": title,
            "rules": RULES,
            "how": answer_block.HOW,
            "block": [answer_block.WIDTH, max(Block(len(one.questions)).height for one in sheets)],
            "sheets": [
                _data(
                    one,
                    people.name_of(one.student),
                    Label(homework, round, one.code, 1, len(one.questions)),
                )
                for one in sheets[start : start + _AT_A_TIME]
            ],
        }
        for start in range(0, len(sheets), _AT_A_TIME)
    ]
    return pdf.filled(TEMPLATE, parts, _AT_A_TIME, sandbox)


def _data(sheet: Sheet, name: str, label: Label) -> dict[str, Any]:
    import segno  # part of the extra `pdf`, which other verbs do not need

    block = Block(len(sheet.questions))
    code = segno.make_qr(str(label), error="m", boost_error=False)
    return {
        "height": block.height,
        "block": block.picture([list(row) for row in code.matrix]),
        "strips": [
            [s.question, list(s.lefts), s.top + answer_block.BOX / 2] for s in block.strips()
        ],
        "choices": answer_block.CHOICES,
        "before": answer_block.LETTER_BEFORE,
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
