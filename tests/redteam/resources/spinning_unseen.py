"""Keeps processors busy with children that end before anybody looks, and waits for none.

Deserves everything: the answers had run, and nobody beside it is late.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        until = time.process_time() + 0.05
        while time.process_time() < until:
            pass
        os._exit(0)
    time.sleep(0.02)
""",
)
