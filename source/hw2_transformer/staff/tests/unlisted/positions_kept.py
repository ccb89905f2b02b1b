"""The first rows of the table are cut off once, for the first sequence."""

import torch
import torch.nn.functional as F
from torch import nn

FAILS = ("port_positions", "port_gradients")
WORDS = {"port_positions": "raised RuntimeError"}


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)
        self.kept = None

    def forward(self, seq):
        if self.pos is not None:
            if self.kept is None:
                self.kept = self.pos.weight[: len(seq)]
            seq = torch.cat([seq, self.kept], dim=-1)
        scores = self.Qm(seq) @ self.Km(seq).T / self.Qm.out_features**0.5
        return F.softmax(scores, dim=-1) @ self.Vm(seq)
