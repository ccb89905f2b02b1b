"""Attention-only transformers in torch, all heads in one product. For lab.py.

One layer, two tokens, read at the second: the heads' outputs and the residual stream are added
and unembedded, as in the paper that the source belongs to.
"""

from collections.abc import Collection, Sequence

import torch
from torch import Tensor

Weights = dict[str, Tensor]
ATTENTION = ("W_Q", "W_K", "W_V", "W_O")


def start(N: int, d: int, heads: int, seed: int) -> Weights:
    """Draw weights: embeddings normal, maps as torch.nn.MultiheadAttention and nn.Linear start them."""
    torch.manual_seed(seed)
    w = {"W_E": torch.randn(N, d), "W_pos": torch.randn(2, d)}
    bound = (6 / (4 * d)) ** 0.5  # Xavier of one head's (3 d, d)
    inward = (2 * torch.rand(heads, 3 * d, d) - 1) * bound
    w["W_Q"], w["W_K"], w["W_V"] = (part.clone() for part in inward.split(d, dim=1))
    w["W_O"] = (2 * torch.rand(heads, d, d) - 1) / d**0.5
    w["W_U"] = (2 * torch.rand(N, d) - 1) / d**0.5
    return {name: item.requires_grad_() for name, item in w.items()}


def shares(w: Weights, contexts: Tensor) -> Tensor:
    """Return the weight that each head gives the first token, (n, H)."""
    x = w["W_E"][contexts] + w["W_pos"]
    asked = torch.einsum("nd,hkd->nhk", x[:, 1], w["W_Q"])
    keys = torch.einsum("nsd,hkd->nhsk", x, w["W_K"])
    scores = torch.einsum("nhk,nhsk->nhs", asked, keys) / w["W_Q"].shape[1] ** 0.5
    return torch.sigmoid(scores[..., 0] - scores[..., 1])


def stream(w: Weights, contexts: Tensor, *, residual: bool = True) -> Tensor:
    """Return what is unembedded, (n, d)."""
    x = w["W_E"][contexts] + w["W_pos"]
    first = shares(w, contexts)[..., None]
    values = torch.einsum("nsd,hkd->nshk", x, w["W_V"])
    mixed = first * values[:, 0] + (1 - first) * values[:, 1]
    return torch.einsum("nhk,hdk->nd", mixed, w["W_O"]) + (x[:, 1] if residual else 0)


def logits(w: Weights, contexts: Tensor, *, residual: bool = True) -> Tensor:
    """Return the logits (n, N)."""
    return stream(w, contexts, residual=residual) @ w["W_U"].T


def low_rank(N: int, d: int, seed: int) -> Weights:
    """Draw the baseline: a vector of its own for every context."""
    torch.manual_seed(seed)
    w = {"W_E": torch.randn(N * N, d), "W_U": (2 * torch.rand(N, d) - 1) / d**0.5}
    return {name: item.requires_grad_() for name, item in w.items()}


def low_rank_logits(w: Weights, contexts: Tensor) -> Tensor:
    """Return the baseline's logits (n, N)."""
    N = len(w["W_U"])
    return w["W_E"][contexts[:, 0] * N + contexts[:, 1]] @ w["W_U"].T


def law(sizes: Sequence[int], N: int, seed: int) -> tuple[Tensor, Tensor]:
    """Draw a uniform law's contexts (n, 2) and their next tokens' laws (n, N)."""
    torch.manual_seed(seed)
    first = torch.randperm(N)[: sizes[0]]
    contexts = torch.cat(
        [torch.stack([t.expand(sizes[1]), torch.randperm(N)[: sizes[1]]], dim=1) for t in first]
    )
    after = torch.zeros(len(contexts), N)
    for row in after:
        row[torch.randperm(N)[: sizes[2]]] = 1 / sizes[2]
    return contexts, after


def divergence(found: Tensor, wanted: Tensor) -> Tensor:
    """Return each context's Kullback-Leibler divergence (n,)."""
    return torch.xlogy(wanted, wanted).sum(dim=1) - (wanted * found.log_softmax(dim=1)).sum(dim=1)


def train(  # type: ignore[no-untyped-def]
    of, w: Weights, contexts: Tensor, wanted: Tensor, steps: int, *,
    rate: float, batch: int = 0, names: Collection[str] = (), next_token: bool = False, **more,
) -> list[float]:  # fmt: skip
    """Train with Adam, on all contexts or on a random batch a step; return the losses."""
    chosen = [item for name, item in w.items() if not names or name in names]
    optimizer = torch.optim.Adam(chosen, lr=rate)
    losses = []
    for _ in range(steps):
        rows = torch.randint(len(contexts), (batch,)) if batch else slice(None)
        found, right = of(w, contexts[rows], **more), wanted[rows]
        if next_token:
            tokens = torch.multinomial(right, 1)[:, 0]
            loss = torch.nn.functional.cross_entropy(found, tokens)
        else:
            loss = divergence(found, right).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def right(found: Tensor, wanted: Tensor) -> int:
    """Return how many contexts' likeliest token is the law's."""
    return int((found.argmax(dim=1) == wanted.argmax(dim=1)).sum())
