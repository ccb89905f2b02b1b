"""Forks as often as it can, each child sleeping or forking again.

Deserves everything: the answers had run.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os, time
until = time.time() + 3
while time.time() < until:
    try:
        if os.fork() == 0:
            if os.getpid() % 2:
                time.sleep(600)
    except OSError:
        time.sleep(0.01)
time.sleep(600)
""",
)
