"""Starts 60 processes that each leave for a session of their own and keep a processor busy.

Deserves everything: the answers had run, and nobody beside it is late.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os, signal, time
for _ in range(60):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
time.sleep(600)
""",
)
