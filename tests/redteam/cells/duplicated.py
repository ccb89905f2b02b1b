"""Holds every graded cell twice, under one grade_id, the second time empty.

Deserves everything: the first of each is right.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    twice = [
        {**item, "source": "", "id": item["id"] + "-again"}
        for item in notebook["cells"]
        if "nbgrader" in item["metadata"]
    ]
    notebook["cells"] += twice


submission = edited(right, change=change)
