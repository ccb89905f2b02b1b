"""Recurses until the stack ends, in Python and in C.

Deserves everything: the answers had run.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import sys
def down(n):
    return down(n + 1)
try:
    down(0)
except RecursionError:
    pass
sys.setrecursionlimit(10**9)
class Deep:
    pass
item = []
for _ in range(10**6):
    item = [item]
repr(item)
down(0)
""",
)
