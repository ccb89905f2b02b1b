"""Fills the disk with files that it removes and holds open, in two processes.

Deserves everything: the answers had run, and the space is free again afterwards.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os, time
other = os.fork()
kept = []
for number in range(128):
    kept.append(open(f"removed{other}", "wb"))
    os.remove(f"removed{other}")
    kept[-1].write(bytes(60_000_000))
time.sleep(600)
""",
)
