"""Tensordot for every product, the weights renamed through local aliases."""

import torch
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        rows = input_dim + (pos_dim or 0)
        self.Km = nn.Linear(rows, qk_dim, bias=False)
        self.Qm = nn.Linear(rows, qk_dim, bias=False)
        self.Vm = nn.Linear(rows, v_dim, bias=False)

    def forward(self, seq):
        W_q, W_k, W_v = self.Qm.weight, self.Km.weight, self.Vm.weight
        P = None if self.pos is None else self.pos.weight
        x = seq if P is None else torch.cat([seq, P[: len(seq)]], axis=1)
        Q = torch.tensordot(x, W_q, dims=([1], [1]))
        K = torch.tensordot(x, W_k, dims=([1], [1]))
        V = torch.tensordot(x, W_v, dims=([1], [1]))
        d_qk = W_q.shape[0]
        A = torch.tensordot(Q, K, dims=([1], [1])).div(d_qk**0.5).softmax(dim=1)
        return torch.tensordot(A, V, dims=1)
