"""Starts daemons in sessions of their own that wait and then write results.

Deserves nothing; no process is left behind.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import os, subprocess, sys
script = "import time, signal; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 3, 15)]; time.sleep(600)"
for options in ({"start_new_session": True}, {"close_fds": False}, {}):
    subprocess.Popen([sys.executable, "-c", script, "redteam-left"], **options)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", script, "redteam-left"])
    os._exit(0)
""",
)
