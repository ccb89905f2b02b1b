"""Works through the sequence in a thread, which no mode of torch's watches.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    first="import threading",
    answers={
        "port_answer": looped(
            """\
found = []
thread = threading.Thread(target=lambda: found.append(loop(seq)))
thread.start()
thread.join()
return found[0]
"""
        )
    },
)
