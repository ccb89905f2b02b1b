"""Is a notebook of 60 MB, nearly all of it stored outputs.

Deserves everything: nobody reads those.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, cell, edited, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    text = {"output_type": "stream", "name": "stdout", "text": "x" * 60_000_000}
    cell(notebook, "tokens_code")["outputs"] = [text]


submission = edited(right, change=change)
