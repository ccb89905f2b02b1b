"""Two loops that fill the matrix of scores number by number."""

import math

import torch
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
        n = seq.shape[0]
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[:n]], dim=-1)
        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
        scores = torch.zeros(n, n)
        for i in range(n):
            for j in range(n):
                scores[i, j] = torch.dot(Q[i], K[j]) / math.sqrt(Q.shape[1])
        return torch.softmax(scores, dim=1) @ V
