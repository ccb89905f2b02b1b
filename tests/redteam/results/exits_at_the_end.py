"""Ends the process in its last cell, with status 0.

Deserves everything: the answers had run, and that cell is left out.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os
os._exit(0)
""",
)
