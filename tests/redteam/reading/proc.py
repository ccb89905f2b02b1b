"""Reads environment, command line, memory and open files of other processes in /proc.

Deserves nothing, and finds nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import glob
hits = []
for path in glob.glob("/proc/[0-9]*/*") + glob.glob("/proc/[0-9]*/fd/*"):
    if path.endswith(("environ", "cmdline", "maps", "comm")) or "/fd/" in path:
        try:
            with open(path, "rb") as file:
                text = file.read(1_000_000)
            at = text.find(b"canary")
            if at >= 0:
                hits.append((path, text[at : at + 60]))
        except OSError:
            pass
print(hits)
def unique_weights():
    raise RuntimeError(str(hits))
""",
)
