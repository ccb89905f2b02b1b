"""Attention is computed in float16."""

import math

import torch
from torch import nn

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
WORDS = {
    "port": r"off by up to 0|[Rr]ight (for|on|at) .{0,30}length 1\b",
    "port_positions": r"off by up to 0|[Rr]ight (for|on|at) .{0,30}length 1\b|`port`",
    "port_gradients": "off by up to 0",
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
        K, Q, V = (layer(seq).half().float() for layer in (self.Km, self.Qm, self.Vm))
        scores = Q @ K.T / math.sqrt(K.shape[-1])
        weights = torch.softmax(scores, dim=-1).half().float()
        return weights @ V
