"""Leaves all of torch's modes while it loops.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    first="from torch.utils._python_dispatch import _disable_current_modes",
    answers={
        "port_answer": looped(
            """\
with _disable_current_modes():
    return loop(seq)
"""
        )
    },
)
