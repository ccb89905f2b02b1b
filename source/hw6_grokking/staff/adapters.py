"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from autograder.kit import Array, Refused, named, number, plain, several, watched

from .shared import LOG, LOG_EPOCHS, SMALL, drawn, halves, weights_shapes

Function = Callable[..., Any]
SEEDS = (0,)
LOG_RATE = 0.004
SMALL_SEEDS, SMALL_RATE = (5,), 0.006
"""Larger rates than the source's 0.001, for the same in fewer epochs: decay is multiplied by the rate, too."""
EPOCHS, LOOK, LOW = 300, 10, 0.2
"""Of `groks`: the most, how often the other loss is computed, and where it is decided."""


def naive_forward(
    function: Function, pairs: Array, coefficients: Array, **weights_and_directions: Array
) -> dict[str, Any]:
    """Return the logits at all positions, their slopes, and the logits after the weights moved."""
    return _forward(function, pairs, coefficients, weights_and_directions)


def fast_forward(
    function: Function, pairs: Array, coefficients: Array, **weights_and_directions: Array
) -> dict[str, Any]:
    """Return the logits at the last position, their slopes, and the logits after the weights moved."""
    return _forward(function, pairs, coefficients, weights_and_directions)


def _forward(
    function: Function, pairs: Array, coefficients: Array, given: Mapping[str, Array]
) -> dict[str, Any]:
    """Return logits, and the slope of a sum of them along a direction in each weight.

    Then each weight moves along its direction, in place, as an optimiser moves it, and the
    logits are computed again from the same dict.
    """
    along = {name.removeprefix("along_"): given[name] for name in given if "along_" in name}
    directions = {name: torch.tensor(item) for name, item in along.items()}
    w = {name: torch.tensor(given[name]).requires_grad_() for name in along}
    with torch.enable_grad():
        logits = function(w, torch.tensor(pairs))
    found = {"the array of logits": plain(logits)}
    if found["the array of logits"].shape != coefficients.shape:
        return found
    found |= _slopes(logits, coefficients, w, directions)
    with torch.no_grad():
        for name, item in w.items():
            item += directions[name]
    with torch.enable_grad():
        moved = function(w, torch.tensor(pairs))
    return {**found, "the array of logits after a change of the weights": plain(moved)}


def _slopes(
    logits: Any,
    coefficients: Array,
    w: Mapping[str, torch.Tensor],
    directions: Mapping[str, torch.Tensor],
) -> dict[str, Any]:
    """Return the slope of a sum of logits along a direction in each weight."""
    if not isinstance(logits, torch.Tensor):
        kind = type(logits).__name__
        raise Refused(f"No gradient can flow back from it: it is no tensor of torch, but a {kind}.")
    if not logits.requires_grad:
        raise Refused("No gradient can flow back from it: stay in torch, and detach nothing.")
    (logits * torch.tensor(coefficients)).sum().backward()
    found = {}
    for name, item in w.items():
        slope = 0.0 if item.grad is None else (item.grad * directions[name]).sum()
        found[f"the slope along {name}"] = plain(slope)
    return found


def fast_cost(
    function: Function,
    pairs: Array,
    seed: int,
    rows: Array,
    coefficients: Array,
    p: int,
    width: int,
    hidden: int,
) -> dict[str, Any]:
    """Return how many multiply-adds a forward pass takes, and what it gave in some rows.

    Args:
        function: The student's.
        pairs: (N, 2), all that go through the pass.
        seed: Of the weights, and of a direction in each; the judge draws the same.
        rows: (n,), of which pairs the logits are looked at.
        coefficients: (n, p + 1), of their logits in a sum whose slopes are taken.
        p: The modulus.
        width: Of the model.
        hidden: Its neurons.
    """
    # In double precision: in single precision a number before a ReLU may be so near 0 that two
    # right answers give it other signs, and their slopes are far from each other.
    sizes = int(p), int(width), int(hidden)
    given = drawn(int(seed), *sizes)
    double = {name: torch.tensor(item, dtype=torch.float64) for name, item in given.items()}
    w = {name: double[name].requires_grad_() for name in weights_shapes(*sizes)}
    directions = {name: double[f"along_{name}"] for name in w}
    with torch.enable_grad(), counter() as counted:
        logits = function(w, torch.tensor(pairs))
    found = {"multiply-adds": np.array(counted.get_total_flops() // 2)}
    looked_at = plain(logits)
    if looked_at.shape != (len(pairs), p + 1):
        return found
    found["the array of logits"] = looked_at[rows]
    if isinstance(logits, torch.Tensor):
        logits = logits[torch.tensor(rows)]
    return found | _slopes(logits, coefficients, w, directions)


def counter() -> FlopCounterMode:
    """Return PyTorch's counter, with the products that it leaves out; the visible check has the same."""

    def sizes(shapes: Any) -> list[Any]:
        return [shape for shape in shapes if isinstance(shape, tuple | list) and shape]

    def entries(*shapes: Any, out_shape: Any, **_: Any) -> int:
        # Of the largest array; where only a number multiplies it, nothing is counted.
        many = sizes(shapes)
        return 2 * max(map(math.prod, [*many, out_shape])) * (len(many) > 1)

    def matrices(*shapes: Any, **__: Any) -> int:
        *_, one, other = sizes(shapes)
        return int(2 * math.prod(one) * other[-1])

    def attention(q: Any, k: Any, v: Any, *_: Any, **__: Any) -> int:
        return int(2 * math.prod(q[:-1]) * k[-2] * (k[-1] + v[-1]))

    aten = torch.ops.aten
    elementwise = aten.mul, aten.mul_, aten.addcmul, aten.addr, aten.mv, aten.addmv
    sparse = aten._sparse_mm, aten._sparse_addmm, aten.hspmm, aten.sparse_sampled_addmm
    further = {
        **dict.fromkeys((*elementwise, aten.dot, aten.vdot), entries),
        **dict.fromkeys((*sparse, aten.addbmm, aten._addmm_activation), matrices),
        aten._scaled_dot_product_flash_attention_for_cpu: attention,
    }
    return FlopCounterMode(display=False, custom_mapping=further)


def initial_weights(
    function: Function, p: int, width: int, hidden: int, first: int, models: int
) -> dict[str, Any]:
    """Return the weights of some seeds in a row, and how far off the first ones are when drawn again.

    In between the weights that were given are set to 0, as a run of training changes them.
    """
    sizes, shapes = (
        (int(p), int(width), int(hidden)),
        weights_shapes(int(p), int(width), int(hidden)),
    )
    seeds = [*range(int(first), int(first) + int(models)), int(first)]
    drawn = []
    for seed in seeds:
        w = _checked(function(*sizes, seed), shapes)
        drawn.append({name: plain(w[name]) for name in shapes})
        for name in shapes:
            w[name].data = torch.zeros_like(w[name])
    found = {name: np.stack([w[name] for w in drawn[:-1]]) for name in shapes}
    for name in shapes:
        difference = np.abs(drawn[0][name] - drawn[-1][name]).max()
        found[f"{name}: the same seed again"] = difference
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
    w = {name: torch.tensor(item).requires_grad_() for name, item in weights.items()}
    optimizer, tokens = _optimizer(w, rate), torch.tensor(pairs)
    step = watched(lambda pairs: one_epoch(w, optimizer, pairs), "one_epoch")
    losses = []
    with torch.enable_grad():
        for _ in range(int(epochs)):
            loss = step(tokens)
            if getattr(loss, "requires_grad", False):
                raise Refused("The loss that it returns keeps its whole graph: return loss.item().")
            losses.append(number(loss, "the loss that it returns"))
    after = {f"{name} afterwards": plain(w[name]) for name in weights}
    return {"the array of losses": np.array(losses), **after}


def log_reproduction(
    fast_forward: Function,  # noqa: ARG001
    one_epoch: Function,
    initial_weights: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Train as the source did, in a small setting and for a short time."""
    p, share, width, hidden = LOG
    shapes = weights_shapes(p, width, hidden)
    w = _checked(initial_weights(p, width, hidden, seeds[0]), shapes)
    optimizer, (pairs, _) = _optimizer(w, LOG_RATE), _tensors(p, share)
    with torch.enable_grad():
        for _ in range(LOG_EPOCHS):
            one_epoch(w, optimizer, pairs)
    return {name: _rounded(w[name]) for name in shapes}


def groks(
    fast_forward: Function,
    initial_weights: Function,
    one_epoch: Function,
    seeds: tuple[int, ...] = SMALL_SEEDS,
) -> dict[str, Any]:
    """Train until the loss on the other pairs is low, which only says when to stop."""
    p, share, width, hidden = SMALL
    shapes = weights_shapes(p, width, hidden)
    w = _checked(initial_weights(p, width, hidden, seeds[0]), shapes)
    optimizer, (pairs, others) = _optimizer(w, SMALL_RATE), _tensors(p, share)
    for epoch in range(EPOCHS):
        with torch.enable_grad():
            one_epoch(w, optimizer, pairs)
        if epoch % LOOK == LOOK - 1:
            with torch.no_grad():
                logits = torch.as_tensor(fast_forward(w, others)).double()
            if torch.nn.functional.cross_entropy(logits, others.sum(1) % p) < LOW:
                break
    return {name: _rounded(w[name]) for name in shapes}


def fourier_power(function: Function, E: Array) -> dict[str, Any]:
    """Return the shares."""
    return {"the power of each frequency": plain(function(torch.tensor(E)))}


def keep_and_remove(function: Function, E: Array, frequencies: Array) -> dict[str, Any]:
    """Return both embeddings."""
    both = several(function(torch.tensor(E), [int(k) for k in frequencies]), 2)
    names = ("the embedding with them alone", "the embedding without them")
    return {name: plain(item, name) for name, item in zip(names, both, strict=True)}


def mirror_share(function: Function, trained: Array, others: Array) -> dict[str, Any]:
    """Return the share."""
    return {"the share": number(function(torch.tensor(trained), torch.tensor(others)))}


def _rounded(item: torch.Tensor) -> Array:
    """Return weights with four decimals: a tenth of a million of them are in every log.

    That changes a loss by less than a hundredth of itself.
    """
    rounded: Array = np.round(plain(item), 4)
    return rounded


def _optimizer(w: Mapping[str, torch.Tensor], rate: float = 0.001) -> torch.optim.Optimizer:
    settings = {"lr": rate, "weight_decay": 1.0, "betas": (0.9, 0.98)}
    return torch.optim.AdamW(list(w.values()), **settings)  # type: ignore[arg-type]


def _tensors(p: int, share: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the pairs that are trained on, and the others."""
    trained, others = halves(p, share)
    return torch.tensor(trained), torch.tensor(others)


def _checked(w: Any, shapes: Mapping[str, tuple[int, ...]]) -> Any:
    """Return weights as they are; Refused where they are no dict of tensors that can be trained."""
    for name, item in named(w, shapes, "what `initial_weights` returns").items():
        if not isinstance(item, torch.Tensor):
            kind = type(item).__name__
            raise Refused(f"`initial_weights` gives {name} as a {kind}; it should be a tensor.")
        size = tuple(item.shape)
        if size != shapes[name]:
            raise Refused(
                f"`initial_weights` gives {name} of shape {size}, and it should be {shapes[name]}."
            )
        if not (item.requires_grad and item.is_leaf):
            raise Refused(
                f"`initial_weights` gives a {name} that is not a leaf that requires gradients."
            )
    return w
