"""Turns the test cells into Markdown and the text into raw cells; the answers are right.

Deserves everything: only code is run, and tests are ours.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    for item in notebook["cells"]:
        if item["cell_type"] == "markdown":
            item["cell_type"] = "raw"
        elif item["metadata"].get("nbgrader", {}).get("grade"):
            item["cell_type"] = "markdown"


submission = edited(right, change=change)
