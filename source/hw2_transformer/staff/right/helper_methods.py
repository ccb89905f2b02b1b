"""Split into helper methods and a property, with annotations, docstrings and asserts."""

import math

import torch
from torch import Tensor, nn


class PytorchTransformer(nn.Module):
    """A single attention head."""

    pos: nn.Embedding | None

    def __init__(
        self,
        input_dim: int,
        qk_dim: int,
        v_dim: int,
        pos_dim: int | None = None,
        max_seq_len: int = 10,
    ) -> None:
        super().__init__()
        self.input_dim, self.max_seq_len = input_dim, max_seq_len
        self.pos = None
        if pos_dim is not None:
            self.pos = nn.Embedding(num_embeddings=max_seq_len, embedding_dim=pos_dim)
        self.Qm, self.Km, self.Vm = (self._projection(size) for size in (qk_dim, qk_dim, v_dim))

    def _projection(self, out_features: int) -> nn.Linear:
        return nn.Linear(self.width, out_features, bias=False)

    @property
    def width(self) -> int:
        """How many numbers a row has once its position stands beside it."""
        return self.input_dim + (0 if self.pos is None else self.pos.embedding_dim)

    @property
    def scale(self) -> float:
        return 1.0 / math.sqrt(self.Qm.out_features)

    def _with_positions(self, seq: Tensor) -> Tensor:
        if self.pos is None:
            return seq
        assert len(seq) <= self.max_seq_len, "the sequence is longer than the table of positions"
        return torch.cat((seq, self.pos(torch.arange(len(seq)))), dim=1)

    def _project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.Qm(x), self.Km(x), self.Vm(x)

    def attention(self, Q: Tensor, K: Tensor) -> Tensor:
        """Return the weights, one row a query."""
        weights = torch.softmax(Q @ K.transpose(0, 1) * self.scale, dim=-1)
        assert weights.shape == (len(Q), len(K))
        return weights

    def forward(self, seq: Tensor) -> Tensor:
        assert seq.ndim == 2, f"one sequence at a time, not {tuple(seq.shape)}"
        assert seq.shape[1] == self.input_dim
        Q, K, V = self._project(self._with_positions(seq))
        return self.attention(Q, K) @ V
