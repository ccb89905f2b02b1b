"""A registered mask that masks nothing, and a dropout of zero."""

import math

import torch
import torch.nn as nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.qk_dim = qk_dim
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim is not None else None
        full_dim = input_dim + pos_dim if pos_dim is not None else input_dim
        self.Qm = nn.Linear(full_dim, qk_dim, bias=False)
        self.Km = nn.Linear(full_dim, qk_dim, bias=False)
        self.Vm = nn.Linear(full_dim, v_dim, bias=False)
        self.dropout = nn.Dropout(p=0.0)
        self.register_buffer("mask", torch.ones(max_seq_len, max_seq_len))

    def forward(self, seq):
        T = seq.shape[0]
        if self.pos is not None:
            seq = torch.cat([seq, self.pos(torch.arange(T, device=seq.device))], dim=-1)
        q, k, v = self.Qm(seq), self.Km(seq), self.Vm(seq)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(self.qk_dim))
        att = att.masked_fill(self.mask[:T, :T] == 0, float("-inf"))
        att = torch.softmax(att, dim=-1)
        att = self.dropout(att)
        return att @ v
