"""The one-layer transformer in torch, quick enough for the long runs. For lab.py and `make grok`.

The model is that of the source: embeddings, positions, four heads, two linear maps with a ReLU
between, an unembedding; no bias, no normalisation. Only the last position is read, so its query
is one vector, and scores and values are tables over tokens.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from . import shared

Weights = dict[str, Tensor]

STARTS = ("right", "by what is read", "linear", "normal embeddings")
"""What is known of how weights may start; `start` says what each means."""


def start(p: int, width: int, hidden: int, seed: int, kind: str = "right") -> Weights:
    """Draw weights.

    Args:
        p: The modulus; there is one token more, "=".
        width: Of the model.
        hidden: Neurons.
        seed: Of the draw.
        kind: "right": normal, each matrix by the root of the width, W_U by that of the words.
            "by what is read": normal, by the root of what a matrix reads. "linear": as
            torch.nn.Linear does by default, uniform, by the same root. "normal embeddings": as
            that, and embeddings and positions normal with deviation 1.
    """
    generator = torch.Generator().manual_seed(seed)
    drawn = {}
    for name, shape in shared.weights_shapes(p, width, hidden).items():
        reads = width if name == "W_O" else shape[-1]  # all heads are read together
        embeds = kind == "normal embeddings" and name in ("W_E", "W_pos")
        if embeds or kind in ("right", "by what is read"):
            values = torch.randn(*shape, generator=generator)
        else:
            values = 2 * torch.rand(*shape, generator=generator) - 1
        if embeds:
            root = 1.0
        elif kind == "right":
            root = (p + 1 if name == "W_U" else width) ** 0.5
        else:
            root = reads**0.5
        drawn[name] = (values / root).requires_grad_()
    return drawn


def logits(w: Weights, pairs: Tensor) -> Tensor:
    """Return the logits (N, p + 1) at the last position. pairs (N, 2)."""
    p, size = len(w["W_E"]) - 1, w["W_Q"].shape[1]
    reader = w["W_E"][p] + w["W_pos"][2]
    asked = torch.einsum("hkd,hk->dh", w["W_K"], w["W_Q"] @ reader) / size**0.5
    carried = torch.einsum("hek,hkd->hed", w["W_O"], w["W_V"])
    at = [w["W_E"][:p] + w["W_pos"][0], w["W_E"][:p] + w["W_pos"][1], reader[None]]
    rows = [pairs[:, 0], pairs[:, 1], torch.zeros_like(pairs[:, 0])]
    scores = torch.stack([(x @ asked)[row] for x, row in zip(at, rows, strict=True)])
    shares = scores.softmax(dim=0)
    state = reader
    for x, row, share in zip(at, rows, shares, strict=True):
        brought = torch.einsum("nd,hed->nhe", x, carried)
        state = state + torch.einsum("nh,nhe->ne", share, brought[row])
    state = state + (state @ w["W_in"].T).relu() @ w["W_out"].T
    return state @ w["W_U"].T


def cross_entropy(found: Tensor, answers: Tensor, dtype: torch.dtype = torch.float64) -> Tensor:
    """Return the mean cross-entropy, computed in a given precision."""
    return torch.nn.functional.cross_entropy(found.to(dtype), answers)


def halves(p: int, share: float, seed: int) -> tuple[Tensor, Tensor]:
    """Return the pairs to train on, and the others, both in random order."""
    tokens = torch.arange(p)
    every = torch.cartesian_prod(tokens, tokens)
    order = torch.randperm(p * p, generator=torch.Generator().manual_seed(seed))
    return every[order[: int(share * p * p)]], every[order[int(share * p * p) :]]


def training(
    w: Weights,
    pairs: Tensor,
    epochs: int,
    *,
    decay: float = 1.0,
    rate: float = 1e-3,
    dtype: torch.dtype = torch.float64,
) -> Iterator[tuple[int, float]]:
    """Train; yield each epoch with its loss, before its step is done."""
    answers = pairs.sum(dim=1) % (len(w["W_E"]) - 1)
    optimizer = torch.optim.AdamW(
        w.values(), lr=rate, betas=(0.9, 0.98), weight_decay=decay, fused=True
    )
    for epoch in range(epochs):
        loss = cross_entropy(logits(w, pairs), answers, dtype)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        yield epoch, loss.item()
        optimizer.step()


@torch.no_grad()
def tested(w: Weights, pairs: Tensor) -> tuple[float, float]:
    """Return loss, in double precision, and accuracy."""
    found, answers = logits(w, pairs), pairs.sum(dim=1) % (len(w["W_E"]) - 1)
    return cross_entropy(found, answers).item(), (
        found.argmax(dim=1) == answers
    ).double().mean().item()
