"""Fills the memory, in one piece, in small ones, and in children.

Deserves everything: the answers had run.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
kept = []
try:
    kept.append(bytearray(40 * 10**9))
except MemoryError:
    pass
import os
for child in range(4):
    if os.fork() == 0:
        break
while True:
    kept.append(bytes(10**7).replace(b"\\0", b"x"))
""",
)
