"""All three matrices in one product, split afterwards."""

import torch
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        n_in = input_dim + (pos_dim or 0)
        for name, n_out in {"Qm": qk_dim, "Km": qk_dim, "Vm": v_dim}.items():
            setattr(self, name, nn.Linear(n_in, n_out, bias=False))
        self.sizes = [qk_dim, qk_dim, v_dim]

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=1)
        W = torch.vstack([self.Qm.weight, self.Km.weight, self.Vm.weight])
        Q, K, V = (seq @ W.T).split(self.sizes, dim=1)
        return torch.softmax((Q / self.sizes[0] ** 0.5).mm(K.T), dim=1).mm(V)
