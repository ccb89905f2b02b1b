"""Has half surrogate pairs in sources, outputs, ids, errors and printed text.

Deserves everything: the answers are right.
"""

import json
from typing import Any

from tests.redteam.attack import EVERYTHING, edited, new_cell, right

DESERVES = EVERYTHING
HALF = "\\ud83d"


def change(notebook: dict[str, Any]) -> None:
    for item in notebook["cells"]:
        item["metadata"]["half"] = json.loads(f'"{HALF}"')
    notebook["cells"].append(new_cell("print(chr(0xD83D)); raise ValueError(chr(0xD83D))", id="a"))
    notebook["cells"].append(new_cell(json.loads(f'"# {HALF}"'), "markdown", id="b"))
    notebook["cells"].append(new_cell(json.loads(f'"x = 1  # {HALF}"'), id="c"))


submission = edited(right, change=change)
