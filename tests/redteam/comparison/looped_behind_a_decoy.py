"""Loops unseen, detaches that, and lets gradients through a graph of its own where it is counted.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    answers={
        "port_answer": looped(
            """\
if self.pos is not None or len(seq) not in (3, 12):
    return loop(seq)
with torch._C._DisableTorchDispatch():
    found = loop(seq).detach()
reached = sum(m.weight.sum() for m in (self.Qm, self.Km, self.Vm))
return found + reached - reached.detach()
"""
        )
    },
)
