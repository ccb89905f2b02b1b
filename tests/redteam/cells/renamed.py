"""Gives every cell another id and grade_id; the answers are right.

Deserves everything: the names they define find them.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    for number, item in enumerate(notebook["cells"]):
        item["id"] = f"cell{number}"
        if "nbgrader" in item["metadata"]:
            item["metadata"]["nbgrader"]["grade_id"] = f"other{number}"


submission = edited(right, change=change)
