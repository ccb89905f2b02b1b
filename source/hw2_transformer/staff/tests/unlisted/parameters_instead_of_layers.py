"""Qm, Km and Vm are parameters, as in numpy, and not layers."""

import math

import torch
from torch import nn

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
WORDS = {
    "port": "no weight called 'Qm.weight'",
    "port_positions": "no weight called 'Qm.weight'",
    "port_gradients": "no weight called 'Qm.weight'",
    "port_vectorised": "no weight called|`Qm`",
}


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Parameter(torch.randn(width, qk_dim))
        self.Km = nn.Parameter(torch.randn(width, qk_dim))
        self.Vm = nn.Parameter(torch.randn(width, v_dim))

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        K, Q, V = seq @ self.Km, seq @ self.Qm, seq @ self.Vm
        return torch.softmax(Q @ K.T / math.sqrt(K.shape[-1]), dim=-1) @ V
