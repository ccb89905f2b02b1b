"""Vm is made and never called: the input itself is averaged."""

import torch
import torch.nn.functional as F
from torch import nn

MISTAKE = "values_not_projected"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim is not None else None
        size = input_dim if pos_dim is None else input_dim + pos_dim
        self.Qm = nn.Linear(size, qk_dim, bias=False)
        self.Km = nn.Linear(size, qk_dim, bias=False)
        self.Vm = nn.Linear(size, v_dim, bias=False)

    def forward(self, seq):
        tokens = seq
        if self.pos is not None:
            tokens = torch.cat([seq, self.pos(torch.arange(len(seq)))], 1)
        return F.scaled_dot_product_attention(self.Qm(tokens), self.Km(tokens), tokens)
