"""Fills the disk with files of a megabyte, one in each of many folders.

Deserves everything: the answers had run; the tree is counted, and is gone afterwards.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os
for number in range(4000):
    folder = f"{number % 7}/{number % 31}/{number}"
    os.makedirs(folder)
    with open(f"{folder}/file", "wb") as file:
        file.write(bytes(1_000_000))
while True:
    pass
""",
)
