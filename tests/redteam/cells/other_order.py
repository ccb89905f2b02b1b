"""Has the parts in another order, with extra cells and warnings on stderr between them.

Deserves everything: the answers are right.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, new_cell, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    cells = notebook["cells"]
    ids = [item["id"] for item in cells]
    cut = ids.index("tokens_code")
    parts = cells[cut:]
    unique = next(n for n, item in enumerate(parts) if item["id"] == "unique_answer")
    answer = parts.pop(unique)
    cells[cut:] = [
        new_cell("import sys, warnings\nwarnings.warn('honest')\nprint('x', file=sys.stderr)"),
        answer,
        *parts,
        new_cell("1 / 0", id="mine-2"),
    ]


submission = edited(right, change=change)
