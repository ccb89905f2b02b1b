"""Hides answers in Markdown, raw cells, attachments and outputs.

Deserves nothing: only code cells are answers.
"""

from typing import Any

from tests.redteam.attack import NOTHING, edited, new_cell, wrong

DESERVES = NOTHING


def change(notebook: dict[str, Any]) -> None:
    source = "def identity_weights():\n    return 12 * np.eye(3), 12 * np.eye(3), np.eye(3)\n"
    attachments = {"a.py": {"text/plain": source}}
    notebook["cells"].append(new_cell(source, "markdown", attachments=attachments))
    notebook["cells"].append(new_cell(source, "raw"))
    notebook["cells"][-3]["outputs"] = [
        {"output_type": "display_data", "data": {"text/x-python": source}, "metadata": {}}
    ]


submission = edited(wrong, change=change)
