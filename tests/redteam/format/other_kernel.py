"""Says that it is written in Julia, for a kernel that nobody has, by a format of tomorrow.

Deserves everything: the answers are right.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    notebook["metadata"] = {
        "kernelspec": {"name": "julia-1.9", "display_name": "<script>", "language": "julia"},
        "language_info": {"name": "julia", "version": []},
        "widgets": 5,
    }
    notebook["nbformat_minor"] = 999


submission = edited(right, change=change)
