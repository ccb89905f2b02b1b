"""Stops its own process, so that nothing happens any more.

Deserves everything: the answers had run, and that cell is left out.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
""",
)
