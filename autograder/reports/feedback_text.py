"""The feedback on one question, the same on every page and platform."""

import re

from markupsafe import Markup, escape

from autograder.records.codec import shown
from autograder.records.marks import Mark
from autograder.records.questions import Heatmap


def texts(mark: Mark, *, explain: bool) -> list[str]:
    """Return paragraphs: the message, where to look and, with `explain`, the name of the mistake."""
    said = [mark.message]
    told = mark.misconception.told(explain=explain) if mark.misconception else {}
    return said + [f"{heading}: {text}" for heading, text in told.items()]


def table(picture: Heatmap) -> str:
    """Return a matrix as lines of numbers, which screen readers can read."""
    width = max(len(label) for label in (*picture.rows, *picture.columns))
    lines = [" " * width + "  " + "  ".join(f"{column:>{width}}" for column in picture.columns)]
    lines += [
        f"{label:>{width}}  " + "  ".join(f"{value:>{width}.2f}" for value in row)
        for label, row in zip(picture.rows, picture.values, strict=True)
    ]
    return "\n".join(lines)


def prose(text: str) -> Markup:
    """Return escaped text, with any text in backticks set as code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(shown(text)))))
