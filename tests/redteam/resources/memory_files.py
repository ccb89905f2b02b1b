"""Fills the memory with files that have no name and belong to no process.

Deserves everything: the answers are right, and such files are refused.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os
kept = []
try:
    for number in range(64):
        kept.append(os.memfd_create("x"))
        os.write(kept[-1], bytes(10**7))
except OSError as error:
    print(error)
assert not kept
""",
)
