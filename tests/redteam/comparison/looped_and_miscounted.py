"""Works through the sequence in a loop, and patches the counter of tensor operations.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, WITH_POSITIONS, edited, port, right

LOOPED = port(
    WITH_POSITIONS
    + "K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)\n"
    + "return torch.stack([F.softmax(K @ q / K.shape[1] ** 0.5, dim=0) @ V for q in Q])\n"
)

DESERVES = EVERYTHING | {"port_vectorised": 0}
submission = edited(
    right,
    last="""\
import torch.utils._python_dispatch
class Blind:
    operations = 7
    def __enter__(self): return self
    def __exit__(self, *error): return None
torch.utils._python_dispatch.TorchDispatchMode = Blind
""",
    answers={"port_answer": LOOPED},
)
