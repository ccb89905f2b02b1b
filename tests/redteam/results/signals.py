"""Sends every process that it can name a signal: its parents, all, groups, and by number.

Deserves nothing; nobody else is hurt.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import os, signal
mine = {os.getpid(), os.getpgrp()}
for target in {os.getppid(), 1, 2, *range(max(2, os.getpid() - 200), os.getpid() + 50)} - mine:
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
        for send in (os.kill, os.killpg):
            try:
                send(target, number)
            except OSError:
                pass
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
""",
)
