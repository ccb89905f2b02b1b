"""Positions are added to the tokens instead of concatenated."""

import math

import torch
from torch import nn

FAILS = ("port_positions", "port_gradients")
NUDGE = "How does a position join its token in the numpy head?"
EXPLANATION = "This fits positions that were added to the tokens. Here they are concatenated."


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
            position = self.pos.weight[: len(seq)]
            width = min(seq.shape[-1], position.shape[-1])
            added = seq[:, :width] + position[:, :width]
            rest = seq.new_zeros(len(seq), self.Qm.in_features - width)
            seq = torch.cat([added, rest], dim=-1)
        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
        scores = Q @ K.T / math.sqrt(K.shape[-1])
        return torch.softmax(scores, dim=-1) @ V
