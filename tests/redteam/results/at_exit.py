"""Registers what should run when the process ends: atexit, weakrefs, threads, fork hooks.

Deserves nothing; nothing is left behind.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import atexit, os, threading, weakref
def late():
    for name in ("results.json", "/tmp/redteam-left", "../redteam-left"):
        try:
            open(name, "w").write('{"score": 1000}')
        except OSError:
            pass
atexit.register(late)
class Thing: pass
thing = Thing()
weakref.finalize(thing, late)
threading.Thread(target=lambda: threading.main_thread().join() or late()).start()
os.register_at_fork(after_in_child=late, after_in_parent=late, before=late)
""",
)
