"""Q K^T is right, and then it is transposed before the softmax."""

import math

import torch
from torch import nn

MISTAKE = "queries_and_keys_swapped"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.scale = 1 / math.sqrt(qk_dim)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        Q, K, V = self.Qm(seq), self.Km(seq), self.Vm(seq)
        scores = (self.scale * Q).mm(K.t()).t()
        return scores.softmax(-1).mm(V)
