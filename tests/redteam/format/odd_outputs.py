"""Has stored outputs, entities and images that make those who show them stumble.

Deserves everything: the answers are right.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, new_cell, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    deep: Any = []
    for _ in range(600):
        deep = [deep]
    data = {"text/plain": deep, "image/png": "iVBORw0KGgo" + "A" * 1000, "text/html": 5}
    odd = {"output_type": "display_data", "data": data, "metadata": {"deep": deep}}
    for item in notebook["cells"]:
        if item["cell_type"] == "code":
            item["outputs"] = [odd, {"output_type": 5}, 7, {"output_type": "error", "traceback": 5}]
    notebook["cells"].append(new_cell("&#" + "1" * 5000 + ";", "markdown", id="a"))


SHOW = """\
deep = []
for _ in range(600):
    deep = [deep]
from IPython.display import display
display({"text/plain": "x"}, metadata={"deep": deep}, raw=True)
"""
submission = edited(right, change=change, last=SHOW)
