"""Keeps the processors busy from its first cell on, while its answers are evaluated.

Deserves nothing: its answers are wrong; what matters is who runs beside it.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    first="""\
import os
for _ in range(60):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
""",
)
