"""Forks and ends at once, over and over, so that no look at the process table finds it.

Deserves everything: the answers had run; nothing is left behind.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os, time
until = time.time() + 30
if os.fork() == 0:
    while time.time() < until:
        if os.fork():
            os._exit(0)
""",
)
