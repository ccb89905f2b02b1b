"""All in torch, but the forward pass is wrapped in no_grad, as when a model is only used."""

import torch
import torch.nn.functional as F
from torch import nn

MISTAKE = "port_in_numpy"
FAILS = ("port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    @torch.no_grad()
    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        return F.scaled_dot_product_attention(self.Qm(seq), self.Km(seq), self.Vm(seq))
