"""Has cells that take a parser minutes and gigabytes to read.

Deserves everything: the answers are right, and nobody parses those cells.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, new_cell, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    notebook["cells"].append(new_cell("a\n" * 400_000, id="a"))
    notebook["cells"].append(new_cell('f"' + "{1}" * 100_000 + '"', id="b"))
    notebook["cells"].append(new_cell("x" + "\n" * 900_000 + "x", "markdown", id="c"))


submission = edited(right, change=change)
