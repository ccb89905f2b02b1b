"""Turns off torch's dispatch to Python while it loops.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    answers={
        "port_answer": looped(
            """\
with torch._C._DisableTorchDispatch():
    return loop(seq)
"""
        )
    },
)
