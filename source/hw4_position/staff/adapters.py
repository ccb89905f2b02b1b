"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.model import Array, Refused
from autograder.returned import array, number

Function = Callable[..., Any]
SEEDS = (0,)
STEPS = 120
TOKENS = 12
# Stands for it, so that the numbers beside it cross; no output of an encoder is that large.
NOT_A_NUMBER = 1e6


def ceiling(function: Function, M: Array) -> dict[str, Any]:
    """Return the share."""
    return {"the share": number(function(torch.tensor(M)))}


def masked(function: Function, states: Array, **weights: Array) -> dict[str, Any]:
    """Return what an encoder gives with the mask, in each mode."""
    mask, x = function(states.shape[1]), torch.tensor(states, dtype=torch.float32)
    if not isinstance(mask, torch.Tensor):
        raise Refused("It should return a tensor.")
    if tuple(mask.shape) != (states.shape[1],) * 2:
        raise Refused(
            f"For {states.shape[1]} tokens the mask should have shape {(states.shape[1],) * 2}, "
            f"yours has {tuple(mask.shape)}."
        )
    net = _network(1, weights).encoder
    found = {"the output in training": net(x, mask=mask)}
    net.eval()
    found["the output in evaluation"] = net(x, mask=mask)
    with torch.no_grad():
        found["the output in evaluation without gradients"] = net(x, mask=mask)
    return {name: output.detach().nan_to_num(NOT_A_NUMBER) for name, output in found.items()}


def table_logits(
    function: Function, pairs: Array, padded: int, blocked: Array, **weights: Array
) -> dict[str, Any]:
    """Return the logits."""
    net = _network(len(weights["embedding.weight"]), weights)
    logits = function(net, torch.tensor(pairs), bool(padded), _mask(blocked))
    return {"the array of logits": array(logits)}


def swap_gap(function: Function, answers: Array) -> dict[str, Any]:
    """Return the gap of a model whose logits are looked up."""
    table = torch.tensor(answers)
    gap = function(lambda pairs: table[pairs[:, 0], pairs[:, 1]], len(answers))
    return {"the gap": number(gap)}


def order_from_states(function: Function, states: Array, E: Array) -> dict[str, Any]:
    """Return the pairs."""
    pairs = function(torch.tensor(states), torch.tensor(E))
    return {"the array of pairs": array(pairs)}


def trained_table(
    table_logits: Function, train_table: Function, seeds: tuple[int, ...] = SEEDS
) -> dict[str, Any]:
    """Train two layers, padded and masked, with a student's functions."""
    net = _untrained(2, seeds[0])
    # The second hint of `causal_mask` draws the same.
    mask = torch.tensor([[0, 1, 1], [0, 0, 1], [0, 0, 0]]) > 0
    train_table(
        lambda pairs: table_logits(net, pairs, True, mask), list(net.parameters()), _table(), STEPS
    )
    return _weights(net)


def symmetric_control(
    table_logits: Function,  # noqa: ARG001
    train_table: Function,  # noqa: ARG001
    control: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Let a student train one layer on a symmetric table.

    What it is built on is asked for, too, so that a mistake there is known for what it is.
    """
    net = _untrained(1, seeds[0])
    table = array(control(net, _table(), STEPS))
    return {"the symmetric table": table, **_weights(net)}


def no_mask_control(
    table_logits: Function,  # noqa: ARG001
    train_table: Function,  # noqa: ARG001
    control: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Let a student train two layers without a mask."""
    net = _untrained(2, seeds[0])
    control(net, _table(), STEPS)
    return _weights(net)


def _table() -> torch.Tensor:
    """Draw the table, which is always the same."""
    return torch.tensor(np.random.default_rng(4).integers(0, TOKENS, size=(TOKENS, TOKENS)))


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
    given = {name: torch.tensor(item, dtype=torch.float32) for name, item in weights.items()}
    net.load_state_dict(given, strict=False)
    return net


def _weights(net: Any) -> dict[str, Any]:
    return {name: item.detach() for name, item in net.state_dict().items()}


def _mask(blocked: Array) -> torch.Tensor | None:
    """Return the mask that a caller gives to a student's function."""
    return torch.tensor(blocked > 0) if np.any(blocked) else None
