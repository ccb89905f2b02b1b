"""Writes many files, deep folders without permissions, and one that never ends.

Deserves everything: the answers had run; the directory is gone afterwards.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import os
for number in range(2000):
    open(f"file{number}", "w").close()
for depth in range(1500):
    os.mkdir("d")
    os.chdir("d")
os.chmod(".", 0)
os.chdir(os.environ["HOME"])
os.mkdir("closed")
open("closed/file", "w").close()
os.chmod("closed", 0)
with open("large", "wb") as file:
    while True:
        file.write(bytes(10**7))
""",
)
