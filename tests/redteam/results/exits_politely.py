"""Calls sys.exit, quit and raises SystemExit and KeyboardInterrupt.

Deserves everything: the answers are right.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
import sys, threading
threading.Thread(target=sys.exit).start()
try:
    quit()
except BaseException:
    pass
raise SystemExit(0)
""",
)
