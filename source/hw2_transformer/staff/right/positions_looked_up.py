"""Positions looked up with arange, parameters created in another order, a cached size."""

import torch
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        width = input_dim if pos_dim is None else input_dim + pos_dim
        self.Vm = nn.Linear(width, v_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim is not None else None
        self.register_buffer("root", torch.tensor(float(qk_dim)).sqrt())

    def forward(self, seq):
        x = seq
        if self.pos is not None:
            x = torch.hstack([seq, self.pos(torch.arange(seq.size(0)))])
        return (self.Qm(x).matmul(self.Km(x).t()) / self.root).softmax(-1).matmul(self.Vm(x))
