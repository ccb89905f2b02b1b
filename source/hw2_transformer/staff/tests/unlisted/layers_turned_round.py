"""nn.Linear gets its sizes in the wrong order, and the weight is used as numpy would."""

import math

import torch
from torch import nn

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
WORDS = {
    "port": "[Tt]ranspose|turned round",
    "port_positions": "[Tt]ranspose|turned round",
    "port_gradients": "[Tt]ranspose|turned round",
    "port_vectorised": "[Tt]ranspose|turned round",
}


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(qk_dim, width, bias=False)
        self.Km = nn.Linear(qk_dim, width, bias=False)
        self.Vm = nn.Linear(v_dim, width, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        K, Q, V = (seq @ layer.weight for layer in (self.Km, self.Qm, self.Vm))
        return torch.softmax(Q @ K.T / math.sqrt(K.shape[-1]), dim=-1) @ V
