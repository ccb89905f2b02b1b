"""Written for a batch, (batch, length, size), which the task does not have."""

import math

import torch
from torch import nn

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
WORDS = {
    "port": "not enough values to unpack",
    "port_positions": "not enough values to unpack",
    "port_gradients": "not enough values to unpack",
    "port_vectorised": "not enough values to unpack",
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
        batch, length, _ = seq.shape
        if self.pos is not None:
            table = self.pos(torch.arange(length)).expand(batch, -1, -1)
            seq = torch.cat([seq, table], dim=-1)
        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
        scores = Q @ K.transpose(1, 2) / math.sqrt(K.shape[-1])
        return torch.softmax(scores, dim=-1) @ V
