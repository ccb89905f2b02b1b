"""The whole table of positions is used, however short the sequence is."""

import math

import torch
from torch import nn

FAILS = ("port_positions", "port_gradients")
NUDGE = "How many rows of the table does a sequence of length n need?"
EXPLANATION = (
    "The table of positions is not cut to the length of the sequence, so it fits one length only."
)


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
            seq = torch.cat([seq, self.pos.weight], dim=-1)
        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
        scores = Q @ K.T / math.sqrt(K.shape[-1])
        return torch.softmax(scores, dim=-1) @ V
