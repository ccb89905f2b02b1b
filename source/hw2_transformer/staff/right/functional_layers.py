"""F.linear and F.embedding on the weights, with the sizes looked up in the layers."""

import torch
import torch.nn.functional as F
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        in_features = input_dim + (pos_dim if pos_dim else 0)
        self.Qm = nn.Linear(in_features, qk_dim, bias=False)
        self.Km = nn.Linear(in_features, qk_dim, bias=False)
        self.Vm = nn.Linear(in_features, v_dim, bias=False)

    def forward(self, seq):
        x = seq
        if self.pos is not None:
            places = torch.arange(seq.shape[0], device=seq.device)
            x = torch.column_stack((seq, F.embedding(places, self.pos.weight)))
        q = F.linear(x, self.Qm.weight)
        k = F.linear(x, self.Km.weight)
        v = F.linear(x, self.Vm.weight)
        # F.linear(q, k) is q @ k.T
        attention = F.softmax(F.linear(q, k) / self.Qm.out_features**0.5, dim=1)
        return F.linear(attention, v.t())
