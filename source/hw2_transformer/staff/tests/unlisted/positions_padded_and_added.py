"""Token and position, each padded with zeros to the layers' width, are added up."""

import torch.nn.functional as F
from torch import nn

FAILS = ("port_positions", "port_gradients")
WORDS = {
    "port_positions": "[Ww]ithout positions|`port` is right",
    "port_gradients": "gradient",
}


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    def forward(self, seq):
        x = F.pad(seq, (0, self.Qm.in_features - seq.shape[1]))
        if self.pos is not None:
            pos = self.pos.weight[: len(seq)]
            x = x + F.pad(pos, (0, self.Qm.in_features - pos.shape[1]))
        return F.scaled_dot_product_attention(self.Qm(x), self.Km(x), self.Vm(x))
