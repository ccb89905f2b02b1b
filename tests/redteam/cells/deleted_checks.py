"""Deletes every test cell; the answers are right.

Deserves everything: an honest accident.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    notebook["cells"] = [
        item
        for item in notebook["cells"]
        if item["cell_type"] != "code" or not item["metadata"].get("nbgrader", {}).get("grade")
    ]


submission = edited(right, change=change)
