"""Calls the provided numpy transformer under a name of its own, kept in another cell.

Deserves the designs only: no part of the port was written, and ours is not there while it is asked.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | dict.fromkeys(
    ("port", "port_positions", "port_gradients", "port_vectorised"), 0
)
PORT = """\
class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    def forward(self, seq):
        matrices = [m.weight.detach().numpy().T for m in (self.Km, self.Qm, self.Vm)]
        if self.pos is not None:
            matrices.append(self.pos.weight.detach().numpy())
        return torch.tensor(Mine(*matrices).forward(seq.numpy()))
"""
hand_in = edited(
    right,
    answers={"port_answer": PORT},
    last="Mine = NumpyTransformer",
)
