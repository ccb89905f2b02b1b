"""Sheets with their keys -> GIFT for Moodle's question bank, only for staff."""

import html
import re
from collections.abc import Iterable, Sequence

from autograder.records.codec import shown
from autograder.staff.defence.records import CHOICES
from autograder.staff.defence.sheets.sheet import Asked, Key, Sheet, spans

_SPECIAL = re.compile(r"([\\~=#{}:])")
_WRONG = f"~%-{100 / (CHOICES - 1):.5f}%"
"""Moodle's deduction for a wrong choice."""


def gift(sheets: Iterable[tuple[Sheet, Sequence[Key]]]) -> str:
    """Return all questions, with a category for each student's."""
    parts = []
    for sheet, keys in sheets:
        name = f"{sheet.title}/{sheet.student}".replace("$", "")
        parts.append(f"$CATEGORY: $course$/{' '.join(shown(name).split())}")
        boxes = "".join(
            f"<p>Box {box.letter}</p><pre>{html.escape(shown(box.numbered))}</pre>"
            for box in sheet.boxes
        )
        parts += (
            _question(sheet, one, key, boxes)
            for one, key in zip(sheet.questions, keys, strict=True)
        )
    return "\n\n".join(parts) + "\n"


def _question(sheet: Sheet, one: Asked, key: Key, boxes: str) -> str:
    values = f"<pre>{html.escape(shown(one.values))}</pre>" if one.given else ""
    text = _escaped(f"{boxes}<p>{_html(one.text)}</p>{values}")
    choices = "\n".join(
        f"{'=' if letter == key.right else _WRONG}{_escaped(_html(said))}"
        for letter, said in one.options
    )
    return f"::{sheet.code} {one.number}::[html]{text}{{\n{choices}\n}}"


def _html(text: str) -> str:
    return "".join(
        f"<code>{html.escape(shown(piece))}</code>" if is_code else html.escape(shown(piece))
        for is_code, piece in spans(text)
    )


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("\n", "<br>")
