"""Tags the locked test cells `skip-execution`, with a stored output that says passed.

nbgrader's cheapest hole: it restores a test cell's source, and not its tags. Deserves nothing.
"""

from typing import Any

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING


def change(notebook: dict[str, Any]) -> None:
    for item in notebook["cells"]:
        item["metadata"]["tags"] = ["skip-execution", "raises-exception", "remove-cell"]
        if item["cell_type"] == "code":
            passed = {"output_type": "stream", "name": "stdout", "text": f"[{item['id']}] passed"}
            item["outputs"] = [passed]


submission = edited(wrong, change=change)
