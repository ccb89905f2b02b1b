"""Prints a gigabyte, in one line and in many.

Deserves everything: the answers are right, and output is cut.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import sys
for _ in range(100):
    print("x" * 10_000_000)
for _ in range(100_000):
    print("y")
""",
)
