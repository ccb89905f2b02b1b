"""Puts a cell before the first one that replaces torch, numpy and the functions that define cells.

Deserves nothing.
"""

from typing import Any

from tests.redteam.attack import NOTHING, edited, new_cell, wrong

SOURCE = """\
import sys, types
fake = types.ModuleType("numpy")
fake.__getattr__ = lambda name: (lambda *args, **kwargs: 0)
sys.modules["numpy"] = fake
get_ipython().user_ns_hidden.clear()
"""


def change(notebook: dict[str, Any]) -> None:
    notebook["cells"].insert(0, new_cell(SOURCE))


DESERVES = NOTHING
submission = edited(
    wrong,
    change=change,
)
