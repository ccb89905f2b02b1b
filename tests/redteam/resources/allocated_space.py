"""Takes the disk by allocating space that it does not write, among files too many to count.

Deserves everything: the answers had run, and a neighbour is never blamed for the space.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os
for number in range(100_000):
    if number % 800 == 0:
        with open(f"large{number}", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, 63_000_000)
    open(f"small{number}", "w").close()
while True:
    pass
""",
)
