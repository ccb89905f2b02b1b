"""The layers have names of the student's own."""

import torch
from torch import nn

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
WORDS = {
    "port": "no weight called 'Qm.weight'.*query",
    "port_positions": "no weight called 'Qm.weight'.*query",
    "port_gradients": "no weight called 'Qm.weight'.*query",
    "port_vectorised": "no weight called|`Qm`",
}


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.query = nn.Linear(width, qk_dim, bias=False)
        self.key = nn.Linear(width, qk_dim, bias=False)
        self.value = nn.Linear(width, v_dim, bias=False)
        self.scale = qk_dim**-0.5

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        scores = self.query(seq) @ self.key(seq).T * self.scale
        return scores.softmax(dim=-1) @ self.value(seq)
