"""F.softmax of float32 scores with torch.where, leading axes allowed."""

import torch
from torch import nn
from torch.nn import functional as F


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        pos_dim = pos_dim or 0
        self.Qm = nn.Linear(input_dim + pos_dim, qk_dim, bias=False)
        self.Km = nn.Linear(input_dim + pos_dim, qk_dim, bias=False)
        self.Vm = nn.Linear(input_dim + pos_dim, v_dim, bias=False)

    def forward(self, seq):
        """Accept (n, input_dim), and (batch, n, input_dim) too."""
        if self.pos is not None:
            table = self.pos.weight[: seq.shape[-2]]
            seq = torch.cat([seq, table.expand(*seq.shape[:-2], *table.shape)], dim=-1)
        query, key, value = self.Qm(seq), self.Km(seq), self.Vm(seq)
        scores = (query @ key.transpose(-1, -2)).float() / key.shape[-1] ** 0.5
        scores = torch.where(torch.isfinite(scores), scores, torch.finfo(torch.float32).min)
        weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(value.dtype)
        return weights @ value
