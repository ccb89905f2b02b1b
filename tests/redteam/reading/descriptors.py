"""Reads and writes every open file descriptor that it inherited.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import os
for descriptor in range(3, 256):
    try:
        target = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        target = ""
    try:
        os.set_blocking(descriptor, False)
        data = os.read(descriptor, 100_000)
        if b"canary" in data:
            raise RuntimeError(str(data))
    except OSError:
        pass
""",
)
