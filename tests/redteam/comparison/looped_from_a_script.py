"""Has TorchScript run the loop where no mode counts.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, looped, right

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    first="""\
@torch.jit.script
def scripted(K, Q, V):
    rows = []
    for n in range(Q.size(0)):
        scores = torch.mv(K, Q[n]) / K.size(1) ** 0.5
        rows.append(torch.mv(V.t(), torch.softmax(scores, 0)))
    return torch.stack(rows)
""",
    answers={
        "port_answer": looped(
            """\
with torch._C._DisableTorchDispatch():
    return scripted(self.Km(seq), self.Qm(seq), self.Vm(seq))
"""
        )
    },
)
