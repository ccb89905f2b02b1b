"""Writes the attention in numpy a second time, and wraps it in torch.

Deserves `port` and `port_positions`: the values are right, but no gradient flows.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | {"port_gradients": 0, "port_vectorised": 0}
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
        return torch.tensor(own(seq.numpy(), *matrices))
"""
OWN = """\
def own(X, Km, Qm, Vm, pos=None):
    if pos is not None:
        X = np.hstack([X, pos[: len(X)]])
    scores = np.exp((X @ Qm) @ (X @ Km).T / np.sqrt(Km.shape[1]))
    return scores / scores.sum(axis=1, keepdims=True) @ (X @ Vm)
"""
hand_in = edited(right, answers={"port_answer": PORT}, last=OWN)
