"""The arguments of scaled_dot_product_attention in the order of the numpy head: keys, queries, values."""

import torch
import torch.nn.functional as F
from torch import nn

MISTAKE = "queries_and_keys_swapped"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        return F.scaled_dot_product_attention(self.Km(seq), self.Qm(seq), self.Vm(seq))
