"""Has 200,000 cells.

Deserves nothing, and one line that says so.
"""

from typing import Any

from tests.redteam.attack import NOTHING, edited, new_cell, wrong

DESERVES = NOTHING


def change(notebook: dict[str, Any]) -> None:
    notebook["cells"] += [new_cell("", id=f"c{number}") for number in range(200_000)]


submission = edited(wrong, change=change)
