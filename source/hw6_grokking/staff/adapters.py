"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from autograder.model import Array, Refused
from autograder.returned import array, number

with FlopCounterMode(display=False):
    pass  # the first time it loads torch._dynamo, two seconds: here, so once for all hand-ins
Function = Callable[..., Any]
SEEDS = (0,)
LOG = (97, 0.3, 128, 512)
SMALL = (53, 0.8, 64, 128)
"""Modulus, share of the pairs to train on, width and neurons."""
EPOCHS, LOOK, LOW = 4000, 25, 0.09
FIRST = 5


def naive_forward(function: Function, pairs: Array, **weights: Array) -> dict[str, Any]:
    """Return the logits at all positions."""
    return {"the array of logits": array(function(_tensors(weights), torch.tensor(pairs)))}


def fast_forward(
    function: Function, pairs: Array, coefficients: Array, **weights_and_directions: Array
) -> dict[str, Any]:
    """Return the logits, and the slope of a sum of them along a direction in each weight."""
    directions = {
        name.removeprefix("along_"): item
        for name, item in weights_and_directions.items()
        if name.startswith("along_")
    }
    w = _tensors({name: weights_and_directions[name] for name in directions})
    for item in w.values():
        item.requires_grad_()
    logits = function(w, torch.tensor(pairs))
    found = {"the array of logits": array(logits)}
    if tuple(np.shape(logits)) != coefficients.shape:
        return found
    _fit(logits)
    (logits * torch.tensor(coefficients)).sum().backward()
    for name, item in w.items():
        slope = 0.0 if item.grad is None else (item.grad * torch.tensor(directions[name])).sum()
        found[f"the slope along {name}"] = torch.as_tensor(slope)
    return found


def fast_cost(function: Function, pairs: Array, p: int, width: int, hidden: int) -> dict[str, Any]:
    """Return how many multiply-adds a forward pass takes, as PyTorch counts them, and what it gave."""
    rng = np.random.default_rng(66)  # the judge draws the same
    w = {}
    for name, size in _shapes(int(p), int(width), int(hidden)).items():
        drawn = torch.tensor(rng.normal(size=size) / width**0.5, dtype=torch.float32)
        w[name] = drawn.requires_grad_()
    with FlopCounterMode(display=False) as counter:
        logits = function(w, torch.tensor(pairs))
    count = np.array(counter.get_total_flops() // 2)
    return {"multiply-adds": count, "the logits of the first pairs": array(logits)[:FIRST]}


def initial_weights(function: Function, p: int, width: int, hidden: int) -> dict[str, Any]:
    """Return the weights of one seed, the differences to a second draw of it, and another's."""
    drawn = [
        _checked(function(int(p), int(width), int(hidden), seed), int(p), int(width), int(hidden))
        for seed in (7, 7, 8)
    ]
    found = {name: item.detach() for name, item in drawn[0].items()}
    for name in drawn[0]:
        again, other = (w[name].detach() for w in drawn[1:])
        found[f"{name}: the same seed again"] = (found[name] - again).abs().max()
        found[f"{name}: another seed"] = (found[name] - other).abs().max()
    return found


def one_epoch(
    fast_forward: Function,  # noqa: ARG001
    one_epoch: Function,
    pairs: Array,
    epochs: int,
    rate: float,
    **weights: Array,
) -> dict[str, Any]:
    """Do some epochs of a small model; return the losses, and the weights after them."""
    w = {name: item.requires_grad_() for name, item in _tensors(weights).items()}
    optimizer = _optimizer(w, rate)
    losses = [number(one_epoch(w, optimizer, torch.tensor(pairs))) for _ in range(int(epochs))]
    after = {f"{name} afterwards": item.detach() for name, item in w.items()}
    return {"the array of losses": np.stack(losses), **after}


def log_reproduction(
    fast_forward: Function,  # noqa: ARG001
    one_epoch: Function,
    initial_weights: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Train as the source did, for 400 epochs."""
    p, share, width, hidden = LOG
    w = _checked(initial_weights(p, width, hidden, seeds[0]), p, width, hidden)
    optimizer, (pairs, _) = _optimizer(w), _halves(p, share)
    for _ in range(400):
        one_epoch(w, optimizer, pairs)
    return _rounded(w)


def groks(
    fast_forward: Function,
    initial_weights: Function,
    one_epoch: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Train until the loss on the other pairs is low, which only says when to stop."""
    p, share, width, hidden = SMALL
    w = _checked(initial_weights(p, width, hidden, seeds[0]), p, width, hidden)
    optimizer, (pairs, others) = _optimizer(w), _halves(p, share)
    for epoch in range(EPOCHS):
        one_epoch(w, optimizer, pairs)
        if epoch % LOOK == LOOK - 1:
            with torch.no_grad():
                logits = torch.as_tensor(fast_forward(w, others)).double()
            if torch.nn.functional.cross_entropy(logits, others.sum(1) % p) < LOW:
                break
    return _rounded(w)


def fourier_power(function: Function, E: Array) -> dict[str, Any]:
    """Return the shares."""
    return {"the power of each frequency": array(function(torch.tensor(E)))}


def keep_and_remove(function: Function, E: Array, frequencies: Array) -> dict[str, Any]:
    """Return both embeddings."""
    both = function(torch.tensor(E), [int(k) for k in frequencies])
    if not isinstance(both, tuple | list) or len(both) != 2:
        raise Refused("It should return two embeddings, (kept, removed).")
    names = ("the embedding with them alone", "the embedding without them")
    return {name: array(item, name) for name, item in zip(names, both, strict=True)}


def mirror_share(function: Function, trained: Array, others: Array) -> dict[str, Any]:
    """Return the share."""
    pairs = torch.tensor(np.argwhere(trained > 0))
    return {"the share": number(function(pairs, torch.tensor(others)))}


def _rounded(w: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """Return weights with four decimals: a fifth of a million of them stand in every log.

    That changes a loss by less than a hundredth of itself.
    """
    return {name: np.round(item.detach().double().numpy(), 4) for name, item in w.items()}


def _tensors(weights: Mapping[str, Array]) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(item) for name, item in weights.items()}


def _optimizer(w: Mapping[str, torch.Tensor], rate: float = 0.001) -> torch.optim.Optimizer:
    settings = {"lr": rate, "weight_decay": 1.0, "betas": (0.9, 0.98)}
    return torch.optim.AdamW(w.values(), **settings)  # type: ignore[arg-type]


def _halves(p: int, share: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw which pairs are trained on; the judge draws the same."""
    order = np.random.default_rng(6).permutation(p * p)
    pairs = torch.tensor(np.stack(np.divmod(order, p), axis=1))
    number_trained = int(share * p * p)
    return pairs[:number_trained], pairs[number_trained:]


def _shapes(p: int, d: int, m: int) -> dict[str, tuple[int, ...]]:
    heads = {
        "W_Q": (4, d // 4, d),
        "W_K": (4, d // 4, d),
        "W_V": (4, d // 4, d),
        "W_O": (4, d, d // 4),
    }
    return {
        "W_E": (p + 1, d), "W_pos": (3, d), **heads, "W_in": (m, d), "W_out": (d, m), "W_U": (p + 1, d)
    }  # fmt: skip


def _checked(w: Any, p: int, width: int, hidden: int) -> dict[str, torch.Tensor]:
    """Raise Refused where something else was drawn than a dict of weights that can be trained."""
    if not isinstance(w, dict):
        raise Refused("`initial_weights` should return a dict of weights.")
    for name, size in _shapes(p, width, hidden).items():
        item = w.get(name)
        if not isinstance(item, torch.Tensor):
            raise Refused(f"`initial_weights` gives no tensor {name}.")
        if tuple(item.shape) != size:
            raise Refused(
                f"`initial_weights` gives {name} of shape {tuple(item.shape)}, and it should be {size}."
            )
        if not (item.requires_grad and item.is_leaf):
            raise Refused(
                f"`initial_weights`: {name} cannot be trained; is it a leaf that asks for gradients?"
            )
    return w


def _fit(logits: Any) -> None:
    if not isinstance(logits, torch.Tensor) or not logits.requires_grad:
        raise Refused("No gradient can flow back from it: stay in torch, and detach nothing.")
