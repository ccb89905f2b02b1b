"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.model import Array, Refused
from autograder.returned import array, number

Function = Callable[..., Any]
SEEDS = tuple(range(8))
BATCH = 128


def attend(function: Function, tokens: Array, queries: Array, K: Array) -> dict[str, Any]:
    """Return z and the weights."""
    made = function(*map(torch.tensor, (tokens, queries, K)))
    if not isinstance(made, tuple | list) or len(made) != 2:
        raise Refused("It should return two things: z and the weights.")
    return {"z": array(made[0], "z"), "the weights": array(made[1], "the weights")}


def losses(demo: Function, right: Function, logits: Array, labels: Array) -> dict[str, Any]:
    """Return both losses."""
    inputs = torch.tensor(logits), torch.tensor(labels)
    return {
        "the loss of the demo": number(demo(*inputs), "the loss of the demo"),
        "the cross-entropy": number(right(*inputs), "the cross-entropy"),
    }


def odd(
    attend: Function,  # noqa: ARG001
    token_logit: Function,
    learned_logit: Function,
    oddness: Function,
    tokens: Array,
    Q: Array,
    q: Array,
    K: Array,
    w: Array,
    b: float,
) -> dict[str, Any]:
    """Return both models' logits and their oddness."""
    X, Q_, q_, K_, w_ = map(torch.tensor, (tokens, Q, q, K, w))
    bias = torch.tensor(b, dtype=X.dtype)
    found: dict[str, Any] = {}
    for name, logit in (
        ("token_logit", lambda x: token_logit(x, Q_, K_, w_, bias)),
        ("learned_logit", lambda x: learned_logit(x, q_, K_, w_, bias)),
    ):
        found[f"what {name} returns"] = array(logit(X), f"what {name} returns")
        found[f"the oddness of {name}"] = number(oddness(logit, X, bias), "the oddness")
    return found


def terms(
    function: Function, tokens: Array, q: Array, K: Array, w: Array, b: float
) -> dict[str, Any]:
    """Return the terms."""
    X, q_, K_, w_ = map(torch.tensor, (tokens, q, K, w))
    bias = torch.tensor(b, dtype=X.dtype)
    return {"the terms": array(function(X, q_, K_, w_, bias))}


def count(function: Function, outputs: Array) -> dict[str, Any]:
    """Return the count."""
    return {"the count": number(function(outputs))}


def by_hand(function: Function) -> dict[str, Any]:
    """Return the weights that were chosen."""
    made = function()
    if not isinstance(made, tuple | list) or len(made) != 4:
        raise Refused("It should return four things: queries, K, w and b.")
    names = ("queries", "K", "w")
    arrays = {name: array(item, name) for name, item in zip(names, made[:3], strict=True)}
    return arrays | {"b": number(made[3], "b")}


def trained_easy(
    attend: Function,  # noqa: ARG001
    token_logit: Function,
    seeds: tuple[int, ...] = SEEDS[:3],
) -> dict[str, Any]:
    """Train the easy task's model with a student's logits, from each start: 400 steps of Adam.

    What it is built on is asked for, too, so that a mistake there is known for what it is.
    """
    models = [_trained_easy(token_logit, seed) for seed in seeds]
    return {
        name: torch.stack(made)
        for name, made in zip("QKwb", zip(*models, strict=True), strict=True)
    }


def _trained_easy(token_logit: Function, seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    Q, K = (torch.randn(4, 3, generator=generator, requires_grad=True) for _ in "QK")
    w, b = torch.zeros(4, requires_grad=True), torch.zeros((), requires_grad=True)

    def loss(step: int) -> Any:
        tokens, first, _ = _sentences(BATCH, step, 3)
        logits = token_logit(tokens, Q, K, w, b)
        _fit(logits, (BATCH,), f"For {BATCH} sentences")
        return _cross_entropy(logits, (first > 0).float(), reduction="mean")

    _adam([Q, K, w, b], loss, 400)
    return [parameter.detach() for parameter in (Q, K, w, b)]


def trained_xor(xor_logits: Function, seeds: tuple[int, ...] = SEEDS) -> dict[str, Any]:
    """Train eight models with two heads at once, with a student's logits: 600 steps of Adam."""
    drawn = []
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed)
        drawn.append([torch.randn(size, generator=generator) for size in ((2, 3), (4, 3))])
    queries, K = (torch.stack(each).requires_grad_() for each in zip(*drawn, strict=True))
    w = torch.zeros(len(seeds), 2, 4, requires_grad=True)
    b = torch.zeros(len(seeds), requires_grad=True)

    def loss(step: int) -> Any:
        tokens, first, last = _sentences(BATCH, step, 4)
        logits = xor_logits(tokens, queries, K, w, b)
        _fit(logits, (len(seeds), BATCH), f"For {len(seeds)} models and {BATCH} sentences")
        right = (first != last).float().expand(logits.shape)
        return _cross_entropy(logits, right, reduction="none").mean(dim=1).sum()

    _adam([queries, K, w, b], loss, 600)
    made = {"queries": queries, "K": K, "w": w, "b": b}
    return {name: parameter.detach() for name, parameter in made.items()}


def _adam(parameters: list[torch.Tensor], loss_of: Callable[[int], Any], steps: int) -> None:
    optimizer = torch.optim.Adam(parameters, lr=5e-2)
    for step in range(steps):
        loss = loss_of(step)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


_cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits


def _fit(logits: Any, shape: tuple[int, ...], where: str) -> None:
    """Raise Refused where there is nothing to train."""
    if tuple(np.shape(logits)) != shape:
        raise Refused(
            f"{where} it should return logits of shape {shape}, yours has {tuple(np.shape(logits))}."
        )
    if not isinstance(logits, torch.Tensor) or not logits.requires_grad:
        raise Refused("No gradient can flow back from it: stay in torch, and detach nothing.")


def _sentences(count: int, seed: int, length: int) -> tuple[Any, Any, Any]:
    """Draw sentences of the notebook's kind, and the signs of their first and last token."""
    chance = np.random.default_rng([1, seed])
    numbers = chance.uniform(-1.0, 1.0, size=(count, length, 4))
    signs = chance.choice([-1.0, 1.0], size=(2, count, 1))
    numbers[:, 0] = signs[0]
    if length == 4:
        numbers[:, -1] = signs[1]
    return tuple(torch.tensor(a, dtype=torch.float32) for a in (numbers, *signs[..., 0]))  # type: ignore[return-value]
