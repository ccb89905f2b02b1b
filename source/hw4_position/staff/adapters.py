"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.kit import Array, Refused, named, number, plain, several, watched

from .shared import STEPS, TABLE

Function = Callable[..., Any]
SEEDS = (0,)
TOKENS = len(TABLE)
# Stands for it, so that the numbers beside it cross; no output of an encoder is that large.
NOT_A_NUMBER = 1e6
# Stands for minus infinity, which does not cross.
NOTHING_LEFT = -1e30
# The same for a bias, where any number as small forbids.
FORBIDDEN = -1e4


def ceiling(function: Function, M: Array) -> dict[str, Any]:
    """Return the share."""
    return {"the share": number(function(torch.tensor(M)))}


def masked(function: Function, states: Array, **weights: Array) -> dict[str, Any]:
    """Return what an encoder gives with the mask, in each mode, and what the mask adds to scores."""
    length, x = states.shape[1], _real(states)
    mask = function(length)
    if not isinstance(mask, torch.Tensor):
        raise Refused("It should return a tensor.")
    if mask.shape != (length, length):
        raise Refused(
            f"For {length} tokens the mask should have shape {(length, length)}, yours has "
            f"{tuple(mask.shape)}."
        )
    numbers = mask.detach().double().numpy()  # minus infinity is allowed here
    if np.isnan(numbers).any():
        raise Refused("The mask holds NaN: 0 times infinity is not 0.")
    net = _network(1, weights).encoder
    with torch.enable_grad():
        found = {"the output in training": net(x, mask=mask)}
        net.eval()
        found["the output in evaluation"] = net(x, mask=mask)
    with torch.no_grad():
        found["the output in evaluation without gradients"] = net(x, mask=mask)
    outputs = {name: output.detach().nan_to_num(NOT_A_NUMBER) for name, output in found.items()}
    adds = np.where(numbers > 0, NOTHING_LEFT, 0) if mask.dtype == torch.bool else numbers
    return {**outputs, "what the mask adds": np.maximum(adds, NOTHING_LEFT)}


def table_logits(
    function: Function, pairs: Array, padded: int, blocked: Array, added: Array, **weights: Array
) -> dict[str, Any]:
    """Return the logits, through which gradients have to flow."""
    net = _network(len(weights["embedding.weight"]), weights)
    before = {name: item.clone() for name, item in net.state_dict().items()}
    with torch.enable_grad():
        logits = function(net, torch.tensor(pairs), bool(padded), _mask(blocked, added))
        found = plain(logits, "the array of logits")
        for name, item in net.state_dict().items():
            if not torch.equal(before[name], item.to(before[name])):
                raise Refused(f"It changes `{name}` of the model, which it is given.")
        return {"the array of logits": found, "cut off": _cut_off(logits, net)}


def _cut_off(logits: Any, net: Any) -> str:
    """Say which part of the model would not learn from the logits; "" where all would."""
    if not getattr(logits, "requires_grad", False):
        return "No gradient flows back from the logits: they were detached, or left torch."
    # Not all ones: the gradient of a sum of normalised numbers is zero.
    places = torch.arange(logits.numel(), dtype=logits.dtype).reshape(logits.shape)
    names, weights = zip(*net.named_parameters(), strict=True)
    try:
        gradients = torch.autograd.grad(
            (torch.sin(1 + places**2) * logits).sum(), weights, allow_unused=True
        )
    except RuntimeError as error:
        return f"No gradient flows back from the logits ({str(error)[:80]})."
    for name, gradient in zip(names, gradients, strict=True):
        if gradient is None or not bool(gradient.isfinite().all() and gradient.any()):
            return (
                f"No gradient reaches `{name}`: something on the way was detached, or left torch."
            )
    return ""


def swap_gap(function: Function, answers: Array) -> dict[str, Any]:
    """Return the gap of a model whose logits are looked up."""
    table = _real(answers)
    gap = function(lambda pairs: table[pairs[:, 0], pairs[:, 1]], len(answers))
    return {"the gap": number(gap)}


def order_from_states(function: Function, states: Array, E: Array) -> dict[str, Any]:
    """Return the pairs."""
    return {"the array of pairs": plain(function(_real(states), _real(E)))}


def trained_table(
    train_table: Function, M: Array, start: Array, seeds: tuple[int, ...] = SEEDS
) -> dict[str, Any]:
    """Train free tables of logits, and two layers, padded and masked, with a student's function.

    Args:
        train_table: The student's.
        M: What the free tables learn, (k, n, n).
        start: Their logits before, (k, n, n, n).
        seeds: Of the two layers.
    """
    free = [_FreeTable(_real(logits)) for logits in start]
    with torch.enable_grad():
        losses = [
            plain(each.learn(train_table, answers), "the list of losses")
            for each, answers in zip(free, M, strict=True)
        ]
        net = _untrained(2, seeds[0])
        # The second hint of `causal_mask` draws the same.
        mask = torch.tensor([[0, 1, 1], [0, 0, 1], [0, 0, 0]]) > 0
        table = torch.tensor(TABLE)
        train_table(lambda pairs: _answered(net, pairs, mask), list(net.parameters()), table, STEPS)
    if not torch.equal(table, torch.tensor(TABLE)):
        raise Refused("It changes the table M, which it is given: work on a copy.")
    found = {
        "losses": losses,
        "calls": [each.pairs for each in free],
        "learned": [plain(each.logits, "the table of logits") for each in free],
    }
    named = {f"{name} {n}": item for name, items in found.items() for n, item in enumerate(items)}
    return {**named, **_weights(net, 2)}


class _FreeTable:
    """A "model" that is nothing but a table of logits (n, n, n), and counts the pairs of each call."""

    def __init__(self, start: torch.Tensor) -> None:
        self.logits = start.requires_grad_()
        self.pairs: list[int] = []

    def learn(self, train_table: Function, answers: Array) -> Any:
        return train_table(self._answer, [self.logits], torch.tensor(answers), STEPS)

    def _answer(self, pairs: torch.Tensor) -> torch.Tensor:
        self.pairs.append(len({tuple(pair) for pair in pairs.tolist()}))
        return self.logits[pairs[:, 0], pairs[:, 1]]


def symmetric_control(
    table_logits: Function,  # noqa: ARG001
    train_table: Function,  # noqa: ARG001
    control: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Let a student train one layer on a symmetric table, after one step on the table turned round.

    What it is built on is asked for, too, so that a mistake there is known for what it is.
    """
    tables = {}
    for name, M, steps in (("turned", TABLE.T.copy(), 1), ("symmetric", TABLE, STEPS)):
        net = _untrained(1, seeds[0])
        with torch.enable_grad():
            found = watched(control, "symmetric_control")(net, torch.tensor(M), steps)
        tables[f"the {name} table"] = plain(found, "the symmetric table")
    return {**tables, **_weights(net, 1)}


def no_mask_control(
    table_logits: Function,  # noqa: ARG001
    train_table: Function,  # noqa: ARG001
    control: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Let a student train two layers without a mask; says the largest number of a mask that they saw."""
    net, seen = _untrained(2, seeds[0]), [0.0]

    def watch(_: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        mask = named.get("src_mask", given[1] if len(given) > 1 else None)
        if mask is not None:
            seen.append(float(mask.detach().abs().max() > 0))

    for layer in net.encoder.layers:
        layer.register_forward_pre_hook(watch, with_kwargs=True)
    with torch.enable_grad():
        watched(control, "no_mask_control")(net, torch.tensor(TABLE), STEPS)
    return {"masked": max(seen), **_weights(net, 2)}


def rotate(
    function: Function, x: Array, positions: Array, base: float, along: Array
) -> dict[str, Any]:
    """Return the turned rows, and the gradient for x of their product with `along`."""
    given = _real(x).requires_grad_()
    with torch.enable_grad():
        turned = function(given, _real(positions), base)
        found = plain(turned, "the rotated array")
        if not getattr(turned, "requires_grad", False):
            raise Refused("No gradient can flow back to x: stay in torch, detach nothing.")
        slopes = np.zeros(along.shape)
        if found.shape == along.shape:
            total = (turned * torch.tensor(along).to(turned)).sum()
            slopes = torch.autograd.grad(total, given)[0].double().numpy()
    return {"the rotated array": found, "the array of gradients": slopes}


def previous_by_rotation(function: Function, d: int) -> dict[str, Any]:
    """Return the query and the key."""
    q, k = several(function(d), 2, "the answer")
    return {"q": plain(q, "q"), "k": plain(k, "k")}


def alibi_bias(function: Function, heads: int, T: int) -> dict[str, Any]:
    """Return the biases; what forbids is one number, since minus infinity does not cross."""
    bias = plain(function(heads, T), "the array of biases", finite=False)
    if np.isnan(bias).any():
        raise Refused("The bias contains NaN: 0 times infinity is not 0.")
    return {"the array of biases": np.clip(bias, FORBIDDEN, -FORBIDDEN)}


def _answered(net: Any, pairs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    states = torch.nn.functional.pad(net.embedding(pairs), (0, 0, 0, 1))
    logits: torch.Tensor = net.unembedding(net.encoder(states, mask=mask)[:, -1])
    return logits


def _untrained(layers: int, seed: int) -> Any:
    torch.manual_seed(seed)
    return _module(TOKENS, layers)


def _module(n: int, layers: int) -> Any:
    """Build the notebook's model, as it starts after torch.manual_seed."""
    net: Any = torch.nn.Module()
    block = torch.nn.TransformerEncoderLayer(
        d_model=16, nhead=2, dim_feedforward=64, dropout=0.0, batch_first=True
    )
    net.embedding = torch.nn.Embedding(num_embeddings=n, embedding_dim=16)
    net.encoder = torch.nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
    net.unembedding = torch.nn.Linear(16, n)
    return net


def _network(n: int, weights: dict[str, Array]) -> Any:
    """Build a model with given weights; what is not given stays as it was drawn."""
    net = _module(n, sum(name.endswith("norm1.weight") for name in weights))
    net.load_state_dict({name: _real(item) for name, item in weights.items()}, strict=False)
    return net


def _weights(net: Any, layers: int) -> dict[str, Any]:
    """Return the weights that a model of so many layers has, and no others."""
    expected = _module(TOKENS, layers).state_dict()
    found = named(net.state_dict(), expected, "The model")
    return {name: plain(item, name) for name, item in found.items()}


def _real(array: Array) -> torch.Tensor:
    """Return real numbers as the notebook's own tensors are: of torch's default type."""
    return torch.tensor(array, dtype=torch.get_default_dtype())


def _mask(blocked: Array, added: Array) -> torch.Tensor | None:
    """Return the mask that a caller gives to a student's function: None, of bool, or of float."""
    if np.any(added):
        return _real(np.where(blocked > 0, -np.inf, added))
    return torch.tensor(blocked > 0) if np.any(blocked) else None
