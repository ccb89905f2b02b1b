"""The softmax's own output is changed in place, which torch needs for its gradients."""

import torch
import torch.nn.functional as F
from torch import nn

FAILS = ("port_gradients", "port_vectorised")
WORDS = {
    "port_gradients": "cannot take the gradients",
    "port_vectorised": "cannot take the gradients",
}


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        scores = self.Qm(seq) @ self.Km(seq).T / self.Qm.out_features**0.5
        weights = F.softmax(scores, dim=-1)
        weights *= 1.0
        return weights @ self.Vm(seq)
