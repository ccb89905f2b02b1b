"""A batch axis is added, and the softmax runs over it: all weights are 1."""

import math

import torch
import torch.nn.functional as F
from torch import nn

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
WORDS = {
    "port": r"[Rr]ight (for|on|at) .{0,30}length 1\b|sum to (one|1)",
    "port_positions": r"[Rr]ight (for|on|at) .{0,30}length 1\b|sum to (one|1)|`port`",
    "port_gradients": "gradient",
    "port_vectorised": "only when `port` is right",
}


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
        x = seq[None]
        K, Q, V = self.Km(x), self.Qm(x), self.Vm(x)
        scores = Q @ K.mT / math.sqrt(K.shape[-1])
        return (F.softmax(scores, dim=0) @ V)[0]
