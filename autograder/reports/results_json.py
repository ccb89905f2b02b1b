"""Grade -> Gradescope's results.json, whose form autograder/schemas/ says."""

import base64
import gzip
import io
import re
import zlib
from collections.abc import Iterable
from html import unescape
from typing import Any

from markupsafe import escape

from autograder import codec
from autograder.model import Grade, Heatmap, Mark, SubmissionLog, UserError, Visibility

MAX_FIELD = 99_000
"""Gradescope cuts a field at 100,000 characters."""
MAX_LOG = 90_000


def results(
    grade: Grade,
    *,
    remarks: tuple[str, ...] = (),
    explain: bool = False,
    hidden: Visibility = "hidden",
) -> dict[str, Any]:
    """Return results.json as plain values.

    A hand-marked question has neither score nor status, so that the platform
    does not take it for a failed one.

    Args:
        grade: The marks.
        remarks: Sentences for the top of the page.
        explain: Whether to name the mistakes that answers fit.
        hidden: When questions show that the homework calls hidden.
    """
    return {
        "score": grade.score,
        "output": html(remarks),
        "output_format": "html",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"late_penalty": grade.penalty},
        "tests": [
            _test(number, mark, explain, hidden) for number, mark in enumerate(grade.marks, start=1)
        ],
    }


def refused(reason: str) -> dict[str, Any]:
    """Return the results.json of a hand-in that cannot be read: no points, and why."""
    return {
        "score": 0.0,
        "output": html([f"This hand-in could not be graded: {reason}"]),
        "output_format": "html",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"late_penalty": 0.0, "finished": False},
        "tests": [],
    }


def html(texts: Iterable[str], pictures: Iterable[Heatmap] = ()) -> str:
    """Return paragraphs in HTML; nothing in the texts is taken for markup.

    What stands between backticks is set as code, and lines stay lines. What is longer than
    the platform shows is cut, the longest text first.
    """
    texts = [text for text in texts if text]
    drawn = [_preformatted(picture) for picture in pictures]
    while True:
        page = "\n".join([*map(_paragraph, texts), *drawn])
        if len(page) <= MAX_FIELD:
            return page
        if drawn:
            drawn.pop()
        else:
            longest = max(range(len(texts)), key=lambda n: len(texts[n]))
            texts[longest] = texts[longest][: len(texts[longest]) // 2] + " ..."


def text(page: str) -> str:
    """Return what `html` wrote as a person reads it."""
    return unescape(re.sub(r"<[^>]*>", "", page))


def _paragraph(text: str) -> str:
    words = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(codec.shown(text))))
    return f"<p>{words}</p>".replace("\n", "<br>\n")


def _preformatted(picture: Heatmap) -> str:
    """Return a matrix as a table of numbers, which is what a reader of a screen reads, too."""
    width = max(len(label) for label in (*picture.rows, *picture.columns))
    lines = [" " * width + "  " + "  ".join(f"{column:>{width}}" for column in picture.columns)]
    lines += [
        f"{label:>{width}}  " + "  ".join(f"{value:>{width}.2f}" for value in row)
        for label, row in zip(picture.rows, picture.values, strict=True)
    ]
    return f"<p>{escape(picture.title)}</p>\n<pre>{escape(chr(10).join(lines))}</pre>"


def _test(number: int, mark: Mark, explain: bool, hidden: Visibility) -> dict[str, Any]:
    texts = [mark.message]
    if mark.misconception:
        texts.append(f"Where to look: {mark.misconception.nudge}")
        if explain:
            texts.append(f"What it looks like: {mark.misconception.explanation}")
    test: dict[str, Any] = {
        "name": f"{mark.question} (extra credit)" if mark.extra else mark.question,
        "number": str(number),
        "output": html(texts, mark.pictures),
        "output_format": "html",
        "visibility": hidden if mark.visibility == "hidden" else mark.visibility,
        "extra_data": {"question": mark.question},
    }
    if mark.earned is not None and not mark.by_hand:
        test |= {
            "score": mark.earned,
            "max_score": mark.points,
            "status": "passed" if mark.verdict == "passed" else "failed",
        }
    return test


def with_log(page: dict[str, Any], log: SubmissionLog) -> dict[str, Any]:
    """Return results.json with the log in it, for a place where no other file is kept."""
    text = codec.encode_log(log)
    carried = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    data: dict[str, Any] = {
        "log_sha256": codec.facts_sha256(log),
        "grader": log.versions.get("autograder", ""),
        "isolation": list(log.isolation),
        "log": carried if len(carried) <= MAX_LOG else None,
    }
    if data["log"] is None:
        data["notes"] = [
            f"The log takes {len(carried):,} characters, too many for this file. To grade again, "
            "download the submissions and use `autograder grade`."
        ]
    return page | {"extra_data": page["extra_data"] | data}


def carried_log(page: object) -> SubmissionLog:
    """Return the log that `with_log` put into results.json; UserError where there is none."""
    data = page.get("extra_data") if isinstance(page, dict) else None
    carried = data.get("log") if isinstance(data, dict) else None
    if not isinstance(carried, str):
        raise UserError("its results.json carries no log; grade the submission again")
    try:
        with gzip.open(io.BytesIO(base64.b64decode(carried, validate=True))) as file:
            text = file.read(codec.MAX_BYTES + 1)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise UserError(f"the log in its results.json cannot be read ({error})") from error
    return codec.decode_log(text)
