"""Token and position keep apart: each has its columns of the weights, and the products are added."""

from torch import nn


class PytorchTransformer(nn.Module):
    def __init__(self, input_dim, qk_dim, v_dim, pos_dim=None, max_seq_len=10):
        super().__init__()
        self.input_dim = input_dim
        self.pos = None if pos_dim is None else nn.Embedding(max_seq_len, pos_dim)
        self.Qm = nn.Linear(input_dim + (pos_dim or 0), qk_dim, bias=False)
        self.Km = nn.Linear(input_dim + (pos_dim or 0), qk_dim, bias=False)
        self.Vm = nn.Linear(input_dim + (pos_dim or 0), v_dim, bias=False)

    def forward(self, seq):
        def apply(layer):
            by_token, by_position = layer.weight.tensor_split([self.input_dim], dim=1)
            result = seq @ by_token.T
            if self.pos is not None:
                result = result + self.pos.weight[: len(seq)] @ by_position.T
            return result

        scores = apply(self.Qm) @ apply(self.Km).T / self.Qm.weight.shape[0] ** 0.5
        return scores.softmax(dim=-1) @ apply(self.Vm)
