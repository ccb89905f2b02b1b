"""Biases again, drawn in another order, so that their numbers differ."""

import math

import torch
from torch import nn

MISTAKE = "bias_left_on"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        width = input_dim + (pos_dim or 0)
        self.Vm = nn.Linear(width, v_dim, bias=True)
        self.Km = nn.Linear(width, qk_dim, bias=True)
        self.Qm = nn.Linear(width, qk_dim, bias=True)
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        scores = self.Qm(seq) @ self.Km(seq).T / math.sqrt(self.Km.out_features)
        return torch.softmax(scores, dim=-1) @ self.Vm(seq)
