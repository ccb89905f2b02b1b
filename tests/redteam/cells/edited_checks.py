"""Rewrites the graded test cells so that they always pass.

Deserves nothing: the submission's test cells decide nothing.
"""

from typing import Any

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING


def change(notebook: dict[str, Any]) -> None:
    for item in notebook["cells"]:
        if item["metadata"].get("nbgrader", {}).get("grade"):
            item["source"] = "print('passed')"


submission = edited(wrong, change=change)
