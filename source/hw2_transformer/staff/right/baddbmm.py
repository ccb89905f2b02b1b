"""torch.baddbmm with keys that are scaled beforehand, and a transposed view of the queries."""

import torch
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        d_in = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(d_in, qk_dim, bias=False)
        self.Km = nn.Linear(d_in, qk_dim, bias=False)
        self.Vm = nn.Linear(d_in, v_dim, bias=False)
        self.scale = qk_dim**-0.5

    def forward(self, seq):
        seq_len = seq.size(0)
        x = seq.unsqueeze(0)  # (1, n, d)
        if self.pos is not None:
            x = torch.cat([x, self.pos.weight[:seq_len].unsqueeze(0)], dim=2)
        k = self.Km(x) * self.scale
        zeros = torch.zeros(1, seq_len, seq_len)
        scores = torch.baddbmm(zeros, self.Qm(x), k.permute(0, 2, 1))
        attn = nn.functional.softmax(scores, dim=2)
        out = torch.baddbmm(torch.zeros(1), attn, self.Vm(x), beta=0)
        return out.view(seq_len, -1)
