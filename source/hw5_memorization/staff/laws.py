"""Laws that are of low rank, or nearly so, and what a model of low rank makes of them. For lab.py."""

import numpy as np
import torch
from torch import Tensor

from . import batched, reference

N, RANK = 10, 5
AXES = range(RANK, N + 1)
EIGENVALUES = (1, 5, 10, 15, 20)
CONTEXTS = torch.cartesian_prod(torch.arange(N), torch.arange(N))


def subspaces(seed: int) -> dict[str, float]:
    """Compare the unembedding of a learned model with that of the law, in several ways."""
    figures = {}
    for bias in (False, True):
        torch.manual_seed(seed)
        W, shift = torch.randn(N, RANK), torch.randn(N) * bias
        law = (torch.randn(N * N, RANK) @ W.T + shift).softmax(dim=1)
        w, loss = _learned(law, seed, steps=3000)
        mine, theirs = w["W_U"].detach().double().numpy(), W.double().numpy()
        if bias:
            figures["biased"] = _uncentred(mine, theirs)
        else:
            figures |= {"rank_loss": loss, "uncentred": _uncentred(mine, theirs)}
            figures["centred"] = float(reference.gauge(mine, theirs)["the distance"])
    rng = np.random.default_rng(seed)
    drawn = [_uncentred(*rng.normal(size=(2, N, RANK))) for _ in range(30)]
    return {**figures, "random": float(np.mean(drawn))}


def axes(seed: int) -> dict[str, float]:
    """Do as the source does: no centring, a bias that is left out, the first singular vectors."""
    figures = {}
    for kind in ("axes", "mixed"):
        for size in AXES:
            torch.manual_seed(seed)
            linear = torch.nn.Linear(size, N).requires_grad_(requires_grad=False)
            W = torch.eye(N)[:, :size] if kind == "axes" else linear.weight
            law = (torch.randn(N * N, size) @ W.T + linear.bias).softmax(dim=1)
            mine = _learned(law, seed, steps=3000)[0]["W_U"].detach().double()
            top = torch.linalg.svd(W.double()).U[:, :RANK]
            figures[f"{kind}_{size}"] = _uncentred(mine.numpy(), top.numpy())
    return figures


def nearly_low_rank(seed: int) -> dict[str, float]:
    """Learn laws whose logits have six large directions, one more than the model has."""
    figures: dict[str, float] = {}
    for large in EIGENVALUES:
        law = _almost(large, seed)
        logs = law.log() - law.log().mean(dim=1, keepdim=True)
        left, values, right = torch.linalg.svd(logs, full_matrices=False)
        cut = float(batched.divergence((left[:, :RANK] * values[:RANK]) @ right[:RANK], law).mean())
        if large == 1:
            w = batched.low_rank(N, RANK, seed)
            batched.train(batched.low_rank_logits, w, CONTEXTS, law, 5000, rate=5e-4, batch=1024)
            figures["almost_loss"] = _mean(batched.low_rank_logits(w, CONTEXTS), law)
            figures["almost_svd"] = cut
            figures["almost_uniform"] = _mean(torch.zeros(N * N, N), law)
        else:
            _, best = _learned(law, seed, steps=5000)
            figures |= {f"best_{large}": best, f"cut_{large}": cut / best}
    return figures


def _almost(large: float, seed: int) -> Tensor:
    torch.manual_seed(seed)
    sizes = torch.tensor([float(large)] * (RANK + 1) + [0.1] * (N - RANK - 1))
    turn = torch.linalg.qr(torch.randn(N, N)).Q
    scores: Tensor = (torch.randn(N * N, N) / N * sizes) @ turn.T
    return scores.softmax(dim=1)


def superposed(seed: int) -> dict[str, float]:
    """Learn ten likeliest tokens in five dimensions."""
    torch.manual_seed(seed)
    best = torch.randint(N, (N * N,))
    law = torch.full((N * N, N), 0.05 / (N - 1))
    law[torch.arange(N * N), best] = 0.95
    w = batched.low_rank(N, RANK, seed)
    batched.train(batched.low_rank_logits, w, CONTEXTS, law, 5000, rate=1e-3, batch=512)
    found = batched.low_rank_logits(w, CONTEXTS)
    right = law[torch.arange(N * N), found.argmax(dim=1)]
    w = batched.start(N, RANK, 5, seed)
    batched.train(batched.logits, w, CONTEXTS, law, 5000, rate=1e-3, batch=512)
    return {
        "superposed": _mean(found, law),
        "superposed_right": float(right.mean()),
        "superposed_heads": _mean(batched.logits(w, CONTEXTS), law),
    }


def _learned(law: Tensor, seed: int, *, steps: int) -> tuple[batched.Weights, float]:
    """Train the model of low rank on all contexts at once; return its weights and last loss."""
    w = batched.low_rank(N, RANK, seed)
    losses = batched.train(batched.low_rank_logits, w, CONTEXTS, law, steps, rate=1e-2)
    return w, losses[-1]


def _mean(found: Tensor, law: Tensor) -> float:
    return float(batched.divergence(found, law).mean().detach())


def _uncentred(A: np.ndarray, B: np.ndarray) -> float:
    bases = [np.linalg.qr(matrix)[0] for matrix in (A, B)]
    return float(np.linalg.norm(bases[0] @ bases[0].T - bases[1] @ bases[1].T))
