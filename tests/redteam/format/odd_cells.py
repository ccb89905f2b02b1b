"""Has cells that are numbers, lists, without type or source, with huge and odd numbers.

Deserves everything: the right cells are among them.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING


def change(notebook: dict[str, Any]) -> None:
    odd = [
        {},
        {"cell_type": 5, "source": 5, "metadata": 5, "id": 5, "outputs": 5},
        {"cell_type": "code", "source": [1, None, "x = 1"], "metadata": None, "outputs": [1, {}]},
        {
            "cell_type": "code",
            "source": None,
            "metadata": {"nbgrader": []},
            "execution_count": 10**400,
        },
        {
            "cell_type": "<b>",
            "source": "x",
            "metadata": {"nbgrader": {"grade_id": {}, "points": "1"}},
        },
    ]
    notebook["cells"] += odd


submission = edited(right, change=change)
