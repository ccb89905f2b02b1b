"""The width of the layers is kept and used for scaling, with a power."""

import torch
from torch import nn

MISTAKE = "scaled_by_input_dim"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None
        self.d = input_dim
        if pos_dim is not None:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
            self.d += pos_dim
        self.Qm = nn.Linear(self.d, qk_dim, bias=False)
        self.Km = nn.Linear(self.d, qk_dim, bias=False)
        self.Vm = nn.Linear(self.d, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.column_stack([seq, self.pos.weight[: seq.size(0)]])
        K = self.Km(seq) * self.d**-0.5
        scores = self.Qm(seq).matmul(K.transpose(0, 1))
        scores = scores - scores.max(dim=1, keepdim=True).values
        e = torch.exp(scores)
        return (e / e.sum(dim=1, keepdim=True)).matmul(self.Vm(seq))
