"""Claims points of four hundred digits in its metadata.

Deserves nothing, and no traceback.
"""

from typing import Any

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING


def change(notebook: dict[str, Any]) -> None:
    for item in notebook["cells"]:
        item["metadata"]["nbgrader"] = {"grade": True, "points": 10**400}


submission = edited(wrong, change=change)
