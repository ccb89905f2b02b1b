"""Starts threads until there are no more, each busy.

Deserves everything: the answers had run, and threads end when questions are asked.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import threading
def busy():
    while True:
        sum(range(1000))
for _ in range(100):
    try:
        threading.Thread(target=busy, daemon=True).start()
    except RuntimeError:
        break
""",
)
