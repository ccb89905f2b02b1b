"""scaled_dot_product_attention with scale=1."""

import torch
import torch.nn.functional as F
from torch import nn

MISTAKE = "no_scaling"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = nn.Embedding(max_seq_len, pos_dim) if pos_dim else None
        d = input_dim + pos_dim if pos_dim else input_dim
        self.Qm = nn.Linear(d, qk_dim, bias=False)
        self.Km = nn.Linear(d, qk_dim, bias=False)
        self.Vm = nn.Linear(d, v_dim, bias=False)

    def forward(self, seq):
        n = seq.shape[0]
        if self.pos is not None:
            seq = torch.cat((seq, self.pos.weight[:n, :]), dim=1)
        q, k, v = (m(seq).unsqueeze(0) for m in (self.Qm, self.Km, self.Vm))
        return F.scaled_dot_product_attention(q, k, v, scale=1.0).squeeze(0)
