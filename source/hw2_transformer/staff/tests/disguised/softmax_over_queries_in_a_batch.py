"""A batch axis of one, and nn.Softmax over the axis that used to be the last but one."""

import torch
from torch import nn

MISTAKE = "softmax_over_queries"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        in_dim = input_dim + (pos_dim or 0)
        self.Qm, self.Km = (nn.Linear(in_dim, qk_dim, bias=False) for _ in range(2))
        self.Vm = nn.Linear(in_dim, v_dim, bias=False)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        x = seq.unsqueeze(0)
        scores = torch.bmm(self.Qm(x), self.Km(x).transpose(1, 2)) / self.Qm.out_features**0.5
        return torch.bmm(self.softmax(scores), self.Vm(x)).squeeze(0)
