"""The layers have no room for positions, which are added to the tokens."""

import math

import torch
from torch import nn

FAILS = ("port_positions", "port_gradients")
WORDS = {
    "port_positions": "should have shape",
    "port_gradients": "should have shape",
}


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        self.Qm = nn.Linear(input_dim, qk_dim, bias=False)
        self.Km = nn.Linear(input_dim, qk_dim, bias=False)
        self.Vm = nn.Linear(input_dim, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = seq + self.pos(torch.arange(len(seq)))
        K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
        return torch.softmax(Q @ K.T / math.sqrt(K.shape[-1]), dim=-1) @ V
