"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from autograder.model import Array, Refused
from autograder.returned import array, number

Function = Callable[..., Any]
SEEDS = (0,)
STARTS = (0, 1, 2)
SWITCHES = ("emb_QK", "pos_QK", "emb_OV", "pos_OV", "residual")
HEADS = (1, 2, 4)
MANY = {"N": 20, "followers": 12, "d": 4, "steps": 300}
FEW = {"N": 10, "followers": 10, "d": 5, "heads": 20, "steps": 300}


def power_unif_law(
    function: Function, alphas: Array, first: Array, second: Array, third: Array, N: int
) -> dict[str, Any]:
    """Return the three laws."""
    choices = [torch.tensor(item) for item in (first, second, third)]
    laws = function([float(alpha) for alpha in alphas], choices, int(N))
    if not isinstance(laws, list | tuple) or len(laws) != 3:
        raise Refused("It should return three laws.")
    return {f"the law of token {n}": array(law, f"law {n}") for n, law in enumerate(laws, 1)}


def last_position_law(function: Function, best: Array, beta: float) -> dict[str, Any]:
    """Return the law."""
    return {"the law": array(function(torch.tensor(best), float(beta)))}


def gen_d_law(function: Function, E: Array, U: Array) -> dict[str, Any]:
    """Return the law."""
    return {"the law": array(function(torch.tensor(E), torch.tensor(U)))}


def entropy(function: Function, law_1: Array, law_2: Array, law_3: Array) -> dict[str, Any]:
    """Return the entropy."""
    return {"the entropy": number(function([torch.tensor(law) for law in (law_1, law_2, law_3)]))}


def first_share(function: Function, scores: Array) -> dict[str, Any]:
    """Return the weights."""
    return {"the weight of the first position": array(function(torch.tensor(scores)))}


def attention_only(
    function: Function, contexts: Array, skipped: Array, **weights: Array
) -> dict[str, Any]:
    """Return the logits with some switches on."""
    skips = {name for name, on in zip(SWITCHES, skipped, strict=True) if on}
    logits = function(_tensors(weights), torch.tensor(contexts), skips)
    return {"the array of logits": array(logits)}


def head_logits(function: Function, contexts: Array, **weights: Array) -> dict[str, Any]:
    """Return both parts of the logits."""
    parts = function(_tensors(weights), torch.tensor(contexts))
    if not isinstance(parts, list | tuple) or len(parts) != 2:
        raise Refused("It should return two arrays, those of the heads and of the residual stream.")
    names = ("the array of the heads' parts", "the array of the residual stream's part")
    return {name: array(part, name) for name, part in zip(names, parts, strict=True)}


def two_losses(function: Function, found: Array, law: Array, tokens: Array) -> dict[str, Any]:
    """Return both losses."""
    losses = function(torch.tensor(found), torch.tensor(law), torch.tensor(tokens))
    if not isinstance(losses, list | tuple) or len(losses) != 2:
        raise Refused("It should return two losses.")
    names = ("the divergence", "the loss of the next token")
    return {name: number(loss, name) for name, loss in zip(names, losses, strict=True)}


def train_heads(
    attention_only: Function,  # noqa: ARG001
    two_losses: Function,  # noqa: ARG001
    train: Function,
    seeds: tuple[int, ...] = STARTS,
) -> dict[str, Any]:
    """Let a student train models with more and more heads on the same law, each from every start."""
    contexts, law = _law(MANY["N"], MANY["followers"])
    found: dict[str, Any] = {}
    for heads in HEADS:
        trained = [_start(MANY["N"], MANY["d"], heads, seed) for seed in seeds]
        for w in trained:
            train(w, tuple(w), contexts, law, MANY["steps"])
        for name in trained[0]:
            found[f"{heads}: {name}"] = torch.stack([w[name].detach() for w in trained])
    return found


def freezing(
    attention_only: Function,  # noqa: ARG001
    two_losses: Function,  # noqa: ARG001
    train: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Let a student train the outputs alone, and everything else."""
    contexts, law = _law(FEW["N"], FEW["followers"])
    found: dict[str, Any] = {}
    for what, alone in (("W_O alone", True), ("all but W_O", False)):
        w = _start(FEW["N"], FEW["d"], FEW["heads"], seeds[0])
        names = tuple(name for name in w if (name == "W_O") == alone)
        train(w, names, contexts, law, FEW["steps"])
        found |= {f"{what}: {name}": item.detach() for name, item in w.items()}
    return found


def gauge(function: Function, A: Array, B: Array) -> dict[str, Any]:
    """Return the distance."""
    return {"the distance": number(function(torch.tensor(A), torch.tensor(B)))}


def _tensors(weights: Mapping[str, Array]) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(item) for name, item in weights.items()}


def _law(N: int, followers: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw contexts and what comes after each, with certainty; the judge draws the same."""
    rng = np.random.default_rng(5)
    firsts = rng.choice(N, size=followers, replace=False)
    contexts = np.array(
        [(i, j) for i in firsts for j in rng.choice(N, size=followers, replace=False)]
    )
    law = np.zeros((len(contexts), N))
    law[np.arange(len(law)), rng.integers(0, N, size=len(law))] = 1
    return torch.tensor(contexts), torch.tensor(law, dtype=torch.float32)


def _start(N: int, d: int, heads: int, seed: int) -> dict[str, torch.Tensor]:
    """Draw weights with the judge's generator."""
    rng = np.random.default_rng([55, seed, heads])
    inward, outward = (heads, d, d), (heads, d, d)
    sizes = {
        "W_E": (N, d), "W_pos": (2, d), "W_Q": inward, "W_K": inward, "W_V": inward,
        "W_O": outward, "W_U": (N, d),
    }  # fmt: skip
    scales = {"W_E": 1.0, "W_pos": 1.0}
    return {
        name: torch.tensor(
            scales.get(name, (2 * d) ** -0.5) * rng.normal(size=size), dtype=torch.float32
        ).requires_grad_()
        for name, size in sizes.items()
    }
