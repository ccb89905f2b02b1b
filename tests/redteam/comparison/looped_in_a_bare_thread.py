"""Works through the sequence in a thread that `threading` knows nothing of.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    first="import _thread",
    answers={
        "port_answer": looped(
            """\
found, done = [], _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(lambda: (found.append(loop(seq)), done.release()), ())
done.acquire()
return found[0]
"""
        )
    },
)
