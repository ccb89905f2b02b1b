"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from autograder.kit import Array, Refused, named, number, plain, several

from .shared import (
    FEW,
    FEW_STEPS,
    HEADS,
    LAST,
    LEFT_OUT,
    MANY,
    MANY_STEPS,
    PARTS,
    SPREAD,
    UNEVEN,
    UNEVEN_STEPS,
    law,
    losses_of,
    start,
    uneven_law,
    weight_after,
    with_heads,
)

Function = Callable[..., Any]
SEEDS = (0,)
SWITCHES = ("emb_QK", "pos_QK", "emb_OV", "pos_OV", "residual")
WEIGHTS = ("W_E", "W_pos", "W_Q", "W_K", "W_V", "W_O", "W_U")


def power_unif_law(
    function: Function, alphas: Array, first: Array, second: Array, third: Array, N: int
) -> dict[str, Any]:
    """Return the three laws."""
    choices = [torch.tensor(item) for item in (first, second, third)]
    laws = several(function(alphas.tolist(), choices, int(N)), 3, "what it returns")
    return {
        f"the law of token {n}": plain(law, f"the law of token {n}")
        for n, law in enumerate(laws, 1)
    }


def last_position_law(function: Function, best: Array, beta: float) -> dict[str, Any]:
    """Return the law."""
    return {"the law": plain(function(torch.tensor(best), float(beta)), "the law")}


def gen_d_law(function: Function, E: Array, U: Array) -> dict[str, Any]:
    """Return the law."""
    return {"the law": plain(function(torch.tensor(E), torch.tensor(U)), "the law")}


def entropy(function: Function, law_1: Array, law_2: Array, law_3: Array) -> dict[str, Any]:
    """Return the entropy."""
    laws = [torch.tensor(law) for law in (law_1, law_2, law_3)]
    return {"the entropy": number(function(laws), "the entropy")}


def first_share(function: Function, scores: Array) -> dict[str, Any]:
    """Return the weights."""
    name = "the weight of the first position"
    return {name: plain(function(torch.tensor(scores)), name)}


def attention_only(
    function: Function, contexts: Array, skipped: Array, functional: Array, **arrays: Array
) -> dict[str, Any]:
    """Return the logits with some switches on, and slopes: their gradients along one direction a weight."""
    w = {name: torch.tensor(arrays[name]).requires_grad_() for name in WEIGHTS}
    skips = {name for name, switched in zip(SWITCHES, skipped, strict=True) if switched}
    with torch.enable_grad():
        logits = function(w, torch.tensor(contexts), *([skips] if skips else []))
        found = plain(logits, "the array of logits")
        slopes = np.zeros(len(WEIGHTS))
        # Where nothing is read the logits are zeros, whatever the weights: nothing has to flow.
        if found.any() and not getattr(logits, "requires_grad", False):
            raise Refused(
                "No gradient can flow back from the logits: stay in torch, detach nothing."
            )
        if found.shape == functional.shape and getattr(logits, "requires_grad", False):
            total = (logits.real * torch.tensor(functional)).sum()
            for n, (name, gradient) in enumerate(_gradients(total, w).items()):
                slopes[n] = (gradient * arrays[f"along_{name}"]).sum()
    return {
        "the array of logits": found,
        "the array of gradients (one number for each weight)": slopes,
    }


def head_logits(function: Function, contexts: Array, **weights: Array) -> dict[str, Any]:
    """Return both parts of the logits."""
    w = {name: torch.tensor(item) for name, item in weights.items()}
    parts = several(function(w, torch.tensor(contexts)), 2, "what it returns")
    names = ("the array of the heads' parts", "the array of the residual stream's part")
    return {name: plain(part, name) for name, part in zip(names, parts, strict=True)}


def two_losses(function: Function, found: Array, law: Array, tokens: Array) -> dict[str, Any]:
    """Return both losses, and their gradients."""
    logits = torch.tensor(found).requires_grad_()
    values: dict[str, Any] = {}
    gradients: dict[str, Any] = {}
    with torch.enable_grad():
        both = several(
            function(logits, torch.tensor(law), torch.tensor(tokens)), 2, "what it returns"
        )
        for name, of, loss in zip(
            ("the divergence", "the loss of the next token"),
            ("divergence", "next token"),
            both,
            strict=True,
        ):
            values[name] = number(loss, name)
            if not getattr(loss, "requires_grad", False):
                raise Refused(
                    f"No gradient can flow back from {name}: stay in torch, detach nothing."
                )
            gradient = _gradients(loss.real.sum(), {"logits": logits})["logits"]
            gradients[f"the array of the {of}'s gradient"] = gradient
    return values | gradients


def _gradients(total: torch.Tensor, of: Mapping[str, torch.Tensor]) -> dict[str, Array]:
    """Return the gradient of a number by each tensor's name; zeros where none flows."""
    try:
        found = torch.autograd.grad(total, list(of.values()), retain_graph=True, allow_unused=True)
    except RuntimeError as error:  # something was changed in place
        why = str(error).split("\n")[0][:300]
        raise Refused(f"torch cannot take the gradients of what it returns: {why}") from error
    return {
        name: np.zeros(item.shape) if gradient is None else gradient.detach().numpy()
        for (name, item), gradient in zip(of.items(), found, strict=True)
    }


def train_heads(
    attention_only: Function,
    two_losses: Function,
    train: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Let a student train models with few heads and with more on the same law."""
    N, followers, d = MANY
    contexts, probabilities = _certain(N, followers)
    found: dict[str, Any] = {}
    for heads in HEADS:
        w = _begun(N, d, heads, seed=seeds[0], spread=SPREAD)
        own = _own_loss(attention_only, two_losses, w, contexts, probabilities)
        with torch.enable_grad():
            before, losses = own(), train(w, tuple(w), contexts, probabilities, MANY_STEPS)
            _compare(_losses(losses, MANY_STEPS), before, own())
        found |= _weights(w, with_heads(heads))
    return found


def freezing(
    attention_only: Function,
    two_losses: Function,
    train: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Let a student train the outputs alone, and everything else."""
    N, followers, d, heads = FEW
    contexts, probabilities = _certain(N, followers)
    found: dict[str, Any] = {}
    for what in PARTS:
        w = _begun(N, d, heads, seed=seeds[0])
        names = tuple(name for name in w if (name == "W_O") == (what == "W_O alone"))
        own = _own_loss(attention_only, two_losses, w, contexts, probabilities)
        with torch.enable_grad():
            before, losses = own(), train(w, names, contexts, probabilities, FEW_STEPS)
            _compare(_losses(losses, FEW_STEPS), before, own())
        found |= _weights(w, what)
    _again(train, names, contexts, probabilities)
    return found


def _again(
    train: Function, names: tuple[str, ...], contexts: torch.Tensor, probabilities: torch.Tensor
) -> None:
    """Train a new model with names that were used before; Refused where it does not move."""
    N, _, d, heads = FEW
    w = _begun(N, d, heads, seed=1)
    before = {name: plain(item) for name, item in w.items()}
    with torch.enable_grad():
        train(w, names, contexts, probabilities, 2)
    for name in names:
        if np.array_equal(plain(w[name], name), before[name]):
            raise Refused(
                f"{name} of a second model that is trained with the same names has not moved: "
                "does `train` keep an optimiser?"
            )


def uneven(
    attention_only: Function,  # noqa: ARG001
    train_uneven: Function,
    seeds: tuple[int, ...] = SEEDS,
) -> dict[str, Any]:
    """Let a student train on a law with entropy, and on contexts of which some come more often."""
    contexts, *given = uneven_law()
    places, probabilities, chances = torch.tensor(contexts), *map(_real, given)
    found: dict[str, Any] = {}
    for what, skips in LEFT_OUT.items():
        w = _begun(*UNEVEN, seed=seeds[0])
        more = [set(skips)] if skips else []
        with torch.enable_grad():
            losses = train_uneven(w, places, probabilities, chances, UNEVEN_STEPS, *more)
        found |= {losses_of(what): _losses(losses, UNEVEN_STEPS)} | _weights(w, what)
    return found


def _losses(losses: Any, steps: int) -> Array:
    """Return the losses of a training, one a step."""
    if not hasattr(losses, "__len__"):
        raise Refused(f"It should return a list of {steps} losses, one a step.")
    if len(losses) != steps:
        raise Refused(f"It should return {steps} losses, one a step; yours has {len(losses)}.")
    return np.array([number(loss, "a loss") for loss in losses])


def _own_loss(
    attention_only: Function,
    two_losses: Function,
    w: Mapping[str, Any],
    contexts: torch.Tensor,
    law: torch.Tensor,
) -> Callable[[], float]:
    """Return a function that gives the divergence of the weights as they are, by a student's own."""

    def now() -> float:
        both = two_losses(attention_only(w, contexts), law, contexts[:, 0])
        return float(number(several(both, 2, "what `two_losses` returns")[0], "the divergence"))

    return now


def _compare(losses: Array, before: float, after: float) -> None:
    """Refuse losses of which the first is not the one before any step, or the last is far from the end."""
    if not abs(losses[0] - before) <= 1e-3 * (1 + abs(before)):
        raise Refused(
            f"The first loss is {losses[0]:.4g}, but your `two_losses` gives {before:.4g} for all "
            "contexts before any step."
        )
    if not abs(losses[-1] - after) <= LAST * abs(before):
        raise Refused(
            f"The last loss is {losses[-1]:.4g}, but your `two_losses` gives {after:.4g} after the "
            "last step: return the loss of each step."
        )


def _weights(w: Mapping[str, Any], what: str) -> dict[str, Array]:
    """Return what a training left in the dict of weights."""
    left = named(w, WEIGHTS, "the dict")
    return {(name := weight_after(key, what)): plain(item, name) for key, item in left.items()}


def attention_maps(function: Function, **weights: Array) -> dict[str, Any]:
    """Return the maps and their singular values."""
    w = {name: torch.tensor(item) for name, item in weights.items()}
    parts = several(function(w), 2, "what it returns")
    names = ("the array of maps", "the array of singular values")
    return {name: plain(part, name) for name, part in zip(names, parts, strict=True)}


def promoted(function: Function, parts: Array, tokens: Array) -> dict[str, Any]:
    """Return the table."""
    return {"the table": plain(function(torch.tensor(parts), torch.tensor(tokens)), "the table")}


def superposition(function: Function, E: Array, U: Array, tokens: Array) -> dict[str, Any]:
    """Return the Gram matrix and both kinds of cosines."""
    found = function(torch.tensor(E), torch.tensor(U), torch.tensor(tokens))
    names = ("the Gram matrix", "the array of cosines", "the array of cosines with the own token")
    parts = several(found, 3, "what it returns")
    return {name: plain(part, name) for name, part in zip(names, parts, strict=True)}


def second_order(function: Function, law: Array, U: Array) -> dict[str, Any]:
    """Return the vectors."""
    name = "the array of vectors"
    return {name: plain(function(torch.tensor(law), torch.tensor(U)), name)}


def principal(function: Function, law: Array, d: int) -> dict[str, Any]:
    """Return the projector onto the space that the columns span: any basis of it is right."""
    found = plain(function(torch.tensor(law), int(d)), "the matrix").astype(float)
    wanted = (law.shape[1], int(d))
    if found.shape != wanted:
        raise Refused(f"the matrix should have shape {wanted}, yours has {found.shape}.")
    if not np.isfinite(found).all():
        raise Refused("the matrix contains NaN or infinity.")
    basis, _ = np.linalg.qr(found)
    return {"the projector": basis @ basis.T}


def gauge(function: Function, A: Array, B: Array) -> dict[str, Any]:
    """Return the distance."""
    return {"the distance": number(function(torch.tensor(A), torch.tensor(B)), "the distance")}


def _real(array: Array) -> torch.Tensor:
    return torch.tensor(array, dtype=torch.float32)


def _certain(N: int, followers: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return contexts, and what comes after each: one token, with certainty."""
    contexts, tokens = law(N, followers)
    return torch.tensor(contexts), _real(np.eye(N)[tokens])


def _begun(
    N: int, d: int, heads: int, *, seed: int, spread: float = 1.0
) -> dict[str, torch.Tensor]:
    """Return the weights with which training begins."""
    begun = start(N, d, heads, seed, spread)
    return {name: _real(item).requires_grad_() for name, item in begun.items()}
