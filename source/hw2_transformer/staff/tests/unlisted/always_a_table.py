"""The table of positions is always made, also where pos_dim is None."""

import math

import torch
from torch import nn

FAILS = ("port", "port_vectorised")
WORDS = {
    "port": "TypeError",
    "port_vectorised": "TypeError",
}


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim)
        self.Qm = nn.Linear(input_dim + pos_dim, qk_dim, bias=False)
        self.Km = nn.Linear(input_dim + pos_dim, qk_dim, bias=False)
        self.Vm = nn.Linear(input_dim + pos_dim, v_dim, bias=False)

    def forward(self, seq):
        position = self.pos(torch.arange(len(seq)))
        seq = torch.cat([seq, position], dim=-1)
        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
        return torch.softmax(Q @ K.T / math.sqrt(K.shape[-1]), dim=-1) @ V
