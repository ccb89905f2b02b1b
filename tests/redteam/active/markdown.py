"""Writes scripts and links to scripts into Markdown, raw cells and written answers.

Deserves nothing; nothing runs where it is opened.
"""

from typing import Any

from tests.redteam.attack import NOTHING, cell, edited, new_cell, wrong

DESERVES = NOTHING
EVIL = (
    "<script>document.title='owned'</script> <img src=x onerror=\"document.title='owned'\"> "
    "[click](javascript:document.title='owned') <iframe srcdoc='<script>parent.document.title='owned'</script>'>"
)


def change(notebook: dict[str, Any]) -> None:
    for id in ("compare_identity", "compare_copy_first"):
        cell(notebook, id)["source"] = EVIL
    notebook["cells"] += [new_cell(EVIL, "markdown", id="a"), new_cell(EVIL, "raw", id="b")]


submission = edited(wrong, change=change)
