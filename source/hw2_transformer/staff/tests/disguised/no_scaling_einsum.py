"""Einsum for the scores, and nothing that divides them."""

import torch
import torch.nn as nn

MISTAKE = "no_scaling"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        if pos_dim is not None:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
            input_dim = input_dim + pos_dim
        else:
            self.pos = None
        self.Vm = nn.Linear(input_dim, v_dim, bias=False)
        self.Km = nn.Linear(input_dim, qk_dim, bias=False)
        self.Qm = nn.Linear(input_dim, qk_dim, bias=False)

    def forward(self, x):
        if self.pos is not None:
            x = torch.hstack([x, self.pos(torch.arange(x.shape[0]))])
        scores = torch.einsum("id,jd->ij", self.Qm(x), self.Km(x))
        attention = nn.Softmax(dim=1)(scores)
        return torch.einsum("ij,jv->iv", attention, self.Vm(x))
