"""Works through the sequence in a loop, and patches the counter of tensor operations.

Deserves all but `port_vectorised`: it is right and looped.
"""

from tests.redteam.attack import EVERYTHING, edited, right

LOOPED = """\
class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.hstack([seq, self.pos.weight[: len(seq)]])
        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
        return torch.stack([F.softmax(K @ q / K.shape[1] ** 0.5, dim=0) @ V for q in Q])
"""

DESERVES = EVERYTHING | {"port_vectorised": 0}
hand_in = edited(
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
