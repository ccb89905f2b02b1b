"""The softmax written with logsumexp."""

import numpy as np
import torch
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.qk_dim = qk_dim
        if pos_dim is not None:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
        else:
            self.pos = None
            pos_dim = 0
        self.Qm = nn.Linear(input_dim + pos_dim, qk_dim, bias=False)
        self.Km = nn.Linear(input_dim + pos_dim, qk_dim, bias=False)
        self.Vm = nn.Linear(input_dim + pos_dim, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat((seq, self.pos.weight[0 : seq.shape[0], :]), 1)
        s = torch.mm(self.Qm(seq), self.Km(seq).t()) / np.sqrt(self.qk_dim)
        log_weights = s - torch.logsumexp(s, dim=1, keepdim=True)
        return torch.mm(torch.exp(log_weights), self.Vm(seq))
