"""Fills the memory with pieces that processes share, each filled by one that ends at once.

Deserves everything: the answers had run, and shared memory is counted.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import mmap, os, time
for _ in range(6):
    if os.fork() == 0:
        held = mmap.mmap(-1, 1_000_000_000)
        if os.fork() == 0:
            for _ in range(100):
                held.write(bytes(10_000_000))
            os._exit(0)
        time.sleep(600)
time.sleep(600)
""",
)
