"""Returns a tensor of its own class, which tells another graph.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    first="""\
class Lying(torch.Tensor):
    @property
    def grad_fn(self):
        return None
""",
    answers={
        "port_answer": looped(
            """\
with torch._C._DisableTorchDispatch():
    found = loop(seq).as_subclass(Lying)
return found
"""
        )
    },
)
