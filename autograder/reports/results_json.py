"""Grade -> Gradescope's results.json, in the form of autograder/records/schemas/."""

import re
from collections.abc import Iterable
from html import unescape
from typing import Any

from markupsafe import escape

from autograder.records.marks import Grade, Mark
from autograder.records.questions import Heatmap, Visibility
from autograder.reports.feedback_text import prose, table, texts

MAX_FIELD = 99_000
"""Gradescope cuts a field at 100,000 characters."""
_SHORT = 200
"""Texts of at most so many characters are left out rather than cut."""

_SHOWN = {"output_format": "html", "visibility": "visible", "stdout_visibility": "hidden"}


def results(
    grade: Grade, *, explain: bool = False, hidden: Visibility = "hidden"
) -> dict[str, Any]:
    """Return results.json as plain values.

    Until a person has marked it, a written answer has neither score nor status, so the platform
    does not show it as failed.

    Args:
        grade: The marks.
        explain: Whether to name the mistakes that answers fit.
        hidden: When the homework's hidden questions become visible.

    """
    return {
        "score": grade.score,
        "output": html(grade.remarks),
        **_SHOWN,
        "extra_data": {"late_penalty": grade.penalty},
        "tests": [
            _test(number, mark, explain, hidden) for number, mark in enumerate(grade.marks, start=1)
        ],
        **_leaderboard(grade),
    }


def _leaderboard(grade: Grade) -> dict[str, Any]:
    """Return Gradescope's leaderboard: golf shows how many numbers are not 0 and the largest; less is better."""
    rows = [
        {"name": f"{mark.question}: {what}", "value": value, "order": "asc"}
        for mark in grade.marks
        if mark.golf
        for what, value in (("not 0", mark.golf.count), ("largest", mark.golf.largest))
    ]
    return {"leaderboard": rows} if rows else {}


def not_graded(reason: str) -> str:
    """Return the sentence for an unreadable submission."""
    return f"This submission could not be graded: {reason}"


def refused(reason: str) -> dict[str, Any]:
    """Return the results.json of an unreadable submission: no points, and the reason."""
    return {
        "score": 0.0,
        "output": html([not_graded(reason)]),
        **_SHOWN,
        "extra_data": {"late_penalty": 0.0, "finished": False},
        "tests": [],
    }


def html(texts: Iterable[str], pictures: Iterable[Heatmap] = ()) -> str:
    """Return paragraphs in HTML, with any markup in the texts escaped.

    Text in backticks is set as code, and line breaks are kept. Texts over the platform's limit are
    cut, the longest first; if there are too many, the last ones are left out.
    """
    texts = [text for text in texts if text]
    drawn = [_preformatted(picture) for picture in pictures]
    while True:
        page = "\n".join([*map(_paragraph, texts), *drawn])
        if len(page) <= MAX_FIELD:
            return page
        if drawn:
            drawn.pop()
        elif (longest := max(map(len, texts))) > _SHORT:
            texts = [_cut(text, longest * 3 // 4) for text in texts]
        else:
            texts = texts[: len(texts) // 2]


def text(page: str) -> str:
    """Return text that `html` wrote in the form that a person reads."""
    return unescape(re.sub(r"<[^>]*>", "", page))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ..."


def _paragraph(text: str) -> str:
    return f"<p>{prose(text)}</p>".replace("\n", "<br>\n")


def _preformatted(picture: Heatmap) -> str:
    return f"<p>{escape(picture.title)}</p>\n<pre>{escape(table(picture))}</pre>"


def _test(number: int, mark: Mark, explain: bool, hidden: Visibility) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{mark.question} (extra credit)" if mark.extra else mark.question,
        "number": str(number),
        "output": html(texts(mark, explain=explain), mark.pictures),
        "output_format": "html",
        "visibility": hidden if mark.visibility == "hidden" else mark.visibility,
        "extra_data": {"question": mark.question},
    }
    if mark.earned or (mark.earned is not None and not mark.by_hand):
        test |= {
            "score": mark.earned,
            "max_score": mark.points,
            "status": "passed" if mark.verdict == "passed" else "failed",
        }
    return test
