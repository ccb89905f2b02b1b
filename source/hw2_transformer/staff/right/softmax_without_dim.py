"""F.softmax without dim, which torch warns of and which takes the last axis of a matrix."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim is not None else None
        dim = input_dim + pos_dim if pos_dim is not None else input_dim
        self.Qm = nn.Linear(dim, qk_dim, bias=False)
        self.Km = nn.Linear(dim, qk_dim, bias=False)
        self.Vm = nn.Linear(dim, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            positions = torch.arange(seq.shape[0], dtype=torch.long)
            seq = torch.cat([seq, self.pos(positions)], dim=1)
        Q, K, V = self.Qm(seq), self.Km(seq), self.Vm(seq)
        scores = torch.matmul(Q, torch.transpose(K, 0, 1)) / math.sqrt(Q.shape[1])
        return torch.matmul(F.softmax(scores), V)
