"""The same layers, called in another way; their biases are never mentioned."""

import torch
import torch.nn.functional as F
from torch import nn

MISTAKE = "bias_left_on"
FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        if pos_dim is not None:
            self.pos = nn.Embedding(max_seq_len, pos_dim)
            input_dim += pos_dim
        else:
            self.pos = None
        self.Qm = nn.Linear(input_dim, qk_dim)
        self.Km = nn.Linear(input_dim, qk_dim)
        self.Vm = nn.Linear(input_dim, v_dim)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat((seq, self.pos(torch.arange(0, seq.size(0)))), dim=1)
        return F.scaled_dot_product_attention(self.Qm(seq), self.Km(seq), self.Vm(seq))
