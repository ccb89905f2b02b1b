"""docs/figures/journey.svg: the stages of one submission, and the line that student code never crosses.

python -m docs.pages.journey
"""

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from tests.helpers import ROOT

PICTURE = ROOT / "docs" / "figures" / "journey.svg"
WIDTH, LEFT, RIGHT = 440, 20, 420
"""In pixels, as all lengths here: narrow, so that a telephone shows it whole."""
LINE, EDGE, GAP = 19, 12, 30
FILL = {"file": "#fff7d6", "ours": "#e8f0fb", "theirs": "#fbe3dd"}
INK, OUTSIDE = "#1b1f24", "#767676"
"""Of text on the boxes, and of what stands beside them: readable on white and on a dark page."""


class Box(NamedTuple):
    """One stage or one file: a title, what it does, and what goes on to the next one."""

    kind: str
    title: str
    lines: tuple[str, ...]
    passes: str = ""


BOXES = (
    Box("theirs", "A student's submission", ("a notebook, a script, a log, a zip, an export",)),
    Box("ours", "submission", ("reads it with limits, unpacks nothing",)),
    Box(
        "ours",
        "program",
        ("puts the answers into the released cells,", "mends what can be mended"),
        "cells and hidden inputs",
    ),
    Box(
        "theirs",
        "sandbox: student code runs here, and only here",
        (
            "a fork for each group of questions; no network,",
            "no reference, no mark, no other submission",
        ),
        "values alone, as strict JSON",
    ),
    Box("file", "submission_log.json: the FACTS", ("a regrade begins here",)),
    Box(
        "ours",
        "marking",
        (
            "draws the hidden inputs again, compares with the",
            "reference, names known mistakes, adds lateness",
        ),
    ),
    Box("file", "grade.json: the MARKS", ("marks by people are in the gradebook",)),
    Box(
        "ours",
        "VIEWS: reports, gradebook, exports",
        ("report.html, grades.csv, class.html, formgrader,", "Gradescope, Canvas, Moodle"),
    ),
)


def main() -> None:
    """Draw the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")


def picture() -> str:
    """Return the picture."""
    body, height = "", EDGE
    for place, box in enumerate(BOXES):
        tall = 2 * EDGE + LINE * (1 + len(box.lines))
        body += "\n".join(_box(box, height, tall)) + "\n"
        height += tall
        if place < len(BOXES) - 1:
            body += "\n".join(_arrow(box.passes, height)) + "\n"
            height += GAP
    height += EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="14" fill="{INK}">\n'
        f"{body}</svg>\n"
    )


def _box(box: Box, top: int, tall: int) -> Iterator[str]:
    dashes = ' stroke-dasharray="6 4"' if box.kind == "theirs" else ""
    yield (
        f'<rect x="{LEFT}" y="{top}" width="{RIGHT - LEFT}" height="{tall}" rx="6" '
        f'fill="{FILL[box.kind]}" stroke="{OUTSIDE}"{dashes}/>'
    )
    y = top + EDGE + LINE - 5
    yield f'<text x="{LEFT + EDGE}" y="{y}" font-weight="bold">{escape(box.title)}</text>'
    for number, line in enumerate(box.lines, start=1):
        yield f'<text x="{LEFT + EDGE}" y="{y + number * LINE}">{escape(line)}</text>'


def _arrow(passes: str, top: int) -> Iterator[str]:
    middle, tip = WIDTH // 2, top + GAP
    yield f'<path d="M {middle} {top} V {tip - 6}" stroke="{OUTSIDE}"/>'
    head = f"M {middle - 5} {tip - 8} L {middle} {tip} L {middle + 5} {tip - 8} Z"
    yield f'<path d="{head}" fill="{OUTSIDE}"/>'
    if passes:
        yield (
            f'<text x="{middle + 12}" y="{tip - 10}" font-style="italic" fill="{OUTSIDE}">'
            f"{escape(passes)}</text>"
        )


if __name__ == "__main__":
    main()
