"""The text on one question: every page and platform shows the same."""

import re

from markupsafe import Markup, escape

from autograder.records.codec import shown
from autograder.records.marks import Mark
from autograder.records.questions import Heatmap


def texts(mark: Mark, *, explain: bool) -> list[str]:
    """Return paragraphs: the message, where to look and, if wanted, which mistake it is.

    Args:
        mark: The question's.
        explain: Whether to name the mistake that the answer fits.
    """
    said = [mark.message]
    if mark.misconception:
        said.append(f"Where to look: {mark.misconception.nudge}")
        if explain:
            said.append(f"What it looks like: {mark.misconception.explanation}")
    return said


def table(picture: Heatmap) -> str:
    """Return a matrix as lines of numbers, which is what a reader of a screen reads, too."""
    width = max(len(label) for label in (*picture.rows, *picture.columns))
    lines = [" " * width + "  " + "  ".join(f"{column:>{width}}" for column in picture.columns)]
    lines += [
        f"{label:>{width}}  " + "  ".join(f"{value:>{width}.2f}" for value in row)
        for label, row in zip(picture.rows, picture.values, strict=True)
    ]
    return "\n".join(lines)


def prose(text: str) -> Markup:
    """Return escaped text with what is between backticks set as code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(shown(text)))))
