"""Has lines above each answer that Python cannot read, or only a newer one.

Deserves everything: the answers are right, and stand by themselves.
"""

from typing import Any

from tests.redteam.attack import EVERYTHING, cell, edited, right

DESERVES = EVERYTHING
ABOVE = {
    "port_answer": "d = {'a': 1}\nprint(f'{d['a']}')\n",
    "identity_answer": "drive.mount('/content/drive'\n",
    "copy_first_answer": "for i in range(3)\n    print(i)\n",
    "unique_answer": "match 3\n    case 3:\n        pass\n",
}


def change(notebook: dict[str, Any]) -> None:
    for id, lines in ABOVE.items():
        answer = cell(notebook, id)
        answer["source"] = lines + "".join(answer["source"])


submission = edited(right, change=change)
