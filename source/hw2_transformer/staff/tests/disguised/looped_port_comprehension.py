"""A list comprehension over the indices of the queries."""

import torch
import torch.nn.functional as F
from torch import nn

MISTAKE = "looped_port"
FAILS = ("port_vectorised",)


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
        root = K.shape[1] ** 0.5
        rows = [F.softmax((K * Q[i]).sum(dim=1) / root, dim=0) @ V for i in range(len(Q))]
        return torch.stack(rows, dim=0)
