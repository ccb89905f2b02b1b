"""Scaled queries, scores that are taken for weights, Vm applied at the end."""

import numpy as np
import torch
from torch import nn

MISTAKE = "no_softmax"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.root = np.sqrt(qk_dim)
        if pos_dim is None:
            self.pos, d = None, input_dim
        else:
            self.pos, d = nn.Embedding(max_seq_len, pos_dim), input_dim + pos_dim
        self.Km = nn.Linear(d, qk_dim, bias=False)
        self.Qm = nn.Linear(d, qk_dim, bias=False)
        self.Vm = nn.Linear(d, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat((seq, self.pos(torch.arange(len(seq)))), dim=-1)
        attention = (self.Qm(seq) / self.root) @ self.Km(seq).mT
        return self.Vm(attention @ seq)
