"""torch.addmm, which scales the product itself."""

import torch
from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        nn.Module.__init__(self)
        self.root = torch.sqrt(torch.tensor(qk_dim, dtype=torch.float32)).item()
        self.pos = None
        if pos_dim is not None:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
            input_dim = input_dim + pos_dim
        self.Qm = nn.Linear(input_dim, qk_dim, bias=False)
        self.Km = nn.Linear(input_dim, qk_dim, bias=False)
        self.Vm = nn.Linear(input_dim, v_dim, bias=False)

    def forward(self, seq):
        n, _ = seq.shape
        if self.pos is not None:
            seq = torch.hstack((seq, self.pos.weight.narrow(0, 0, n)))
        empty = torch.zeros(n, n)
        scores = torch.addmm(empty, self.Qm(seq), self.Km(seq).mT, beta=0, alpha=1 / self.root)
        return torch.addmm(torch.zeros(1), torch.softmax(scores, 1), self.Vm(seq))
