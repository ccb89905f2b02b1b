"""The forward pass is right, but leaves torch for numpy, so nothing can be learned."""

import math

import numpy as np
import torch
from torch import nn

FAILS = ("port_gradients", "port_vectorised")
NUDGE = "Can a gradient flow from your output back to Qm.weight?"
EXPLANATION = (
    "The output is computed in numpy. Gradients do not pass through .detach() and .numpy()."
)


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        width = input_dim + (pos_dim or 0)
        self.Qm = nn.Linear(width, qk_dim, bias=False)
        self.Km = nn.Linear(width, qk_dim, bias=False)
        self.Vm = nn.Linear(width, v_dim, bias=False)

    def forward(self, seq):
        if self.pos is not None:
            seq = torch.cat([seq, self.pos.weight[: len(seq)]], dim=-1)
        K, Q, V = (layer(seq).detach().numpy() for layer in (self.Km, self.Qm, self.Vm))
        outputs = []
        for query in Q:
            weights = np.exp(K @ query / math.sqrt(len(query)))
            outputs.append(weights / weights.sum() @ V)
        return torch.tensor(np.array(outputs))
