"""Claims 1000 points a cell, marks them as graded, and adds unknown metadata.

Deserves nothing: points stand in the instructor's notebook.
"""

from typing import Any

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING


def change(notebook: dict[str, Any]) -> None:
    notebook["metadata"]["score"] = 1000
    for item in notebook["cells"]:
        marks = item["metadata"].setdefault("nbgrader", {"grade_id": item["id"]})
        marks.update(points=1000, score=1000, grade=True, solution=True, locked=False)
        item["metadata"]["autograder"] = {"role": "answer", "points": 1000}


submission = edited(wrong, change=change)
