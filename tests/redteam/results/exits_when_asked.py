"""Ends the process with status 0 when an answer is called.

Deserves what does not do so: the port.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | {"identity": 0, "copy_first": 0, "unique": 0}
hand_in = edited(
    right,
    last="""\
import os, signal
def identity_weights(): os._exit(0)
def copy_first_weights(): os.kill(os.getpid(), signal.SIGKILL)
def unique_weights(): raise SystemExit(0)
""",
)
