"""One column a token: the weights stand in columns, nn.Softmax runs over dim 0."""

import torch
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        if pos_dim is None:
            self.pos = None
        else:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
            input_dim += pos_dim
        self.Qm = nn.Linear(input_dim, qk_dim, bias=False)
        self.Km = nn.Linear(input_dim, qk_dim, bias=False)
        self.Vm = nn.Linear(input_dim, v_dim, bias=False)
        self.softmax = nn.Softmax(dim=0)
        self.qk_dim = qk_dim

    def forward(self, seq):
        columns = seq.T  # (input_dim, n)
        if self.pos is not None:
            columns = torch.cat([columns, self.pos.weight.T[:, : columns.shape[1]]], dim=0)
        Q = self.Qm.weight @ columns  # (qk_dim, n)
        K = self.Km.weight @ columns
        V = self.Vm.weight @ columns
        weights = self.softmax(K.T @ Q / self.qk_dim**0.5)  # (keys, queries)
        return (V @ weights).T
