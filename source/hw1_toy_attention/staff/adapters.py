"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer.

Tensors have the dtype that the notebook has by default, as those have that it draws itself.
"""

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from autograder.kit import Array, Refused, number, plain, several, watched

from .shared import sentences

Function = Callable[..., Any]
SEEDS = tuple(range(8))
BATCH = 128
# As few steps as leave every start far from what is wrong; the notebook's own training takes more.
STEPS = 100
EASY_RATE, XOR_RATE = 0.1, 0.3


def attend(function: Function, tokens: Array, queries: Array, K: Array) -> dict[str, Any]:
    """Return z and the weights."""
    made = several(function(*map(_tensor, (tokens, queries, K))), 2, "what it returns")
    return {name: plain(item, name) for name, item in zip(("z", "the weights"), made, strict=True)}


def losses(demo: Function, right: Function, logits: Array, labels: Array) -> dict[str, Any]:
    """Return both losses, from functions that may not use torch's own."""
    with _without_losses():
        made = [function(_tensor(logits), torch.tensor(labels)) for function in (demo, right)]
    names = ("the loss of the demo", "the cross-entropy")
    return {name: number(loss, name) for name, loss in zip(names, made, strict=True)}


@contextlib.contextmanager
def _without_losses() -> Iterator[None]:
    """Refuse the losses of torch that an answer has to do without, in every thread.

    Their kernels refuse, since a mode is of one thread, and torch has switches that turn it off.
    """
    with torch.library._scoped_library("aten", "IMPL") as library, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a kernel is replaced
        for name in _LOSSES:
            if hasattr(torch.ops.aten, name.split(".")[0]):
                for key in ("CPU", "FuncTorchBatched", "FuncTorchBatchedDecomposition"):
                    library.impl(name, _refuse_loss, key)
        yield


_LOSSES = (
    "cross_entropy_loss linear_cross_entropy nll_loss nll_loss.out nll_loss_nd nll_loss_forward "
    "nll_loss_forward.output nll_loss2d nll_loss2d.out nll_loss2d_forward nll_loss2d_forward.output"
).split()


def _refuse_loss(*_: Any, **__: Any) -> Any:
    raise Refused("It uses `F.nll_loss` or `F.cross_entropy`: write it without them.")


def odd(
    attend: Function,  # noqa: ARG001
    learned_logit: Function,
    oddness: Function,
    tokens: Array,
    q: Array,
    K: Array,
    w: Array,
    b: float,
    linear: Array,
    square: Array,
    constant: float,
) -> dict[str, Any]:
    """Return a model's logits with their gradients, and the oddness of two functions of ours.

    The second one gives a part of its sentences, which changes where these are changed later.
    """
    X, bias, linear_, square_ = map(_tensor, (tokens, b, linear, square))

    def logit(x: Any) -> Any:
        return (linear_ * x + square_ * x * x).sum(dim=(-2, -1)) + constant

    gaps = {
        "the oddness of a function that the check gives": oddness(logit, X, bias),
        "the oddness of x[:, 0, 0]": oddness(lambda x: x[:, 0, 0], X, bias),
    }
    weights = np.full(len(tokens), 1 / len(tokens))
    given = {"q": q, "K": K, "w": w, "b": np.array(b)}
    return {
        **_with_gradients("learned_logit", learned_logit, tokens, weights, **given),
        **{name: number(gap, name) for name, gap in gaps.items()},
    }


def terms(
    function: Function, tokens: Array, q: Array, K: Array, w: Array, b: float
) -> dict[str, Any]:
    """Return the terms."""
    return {"the terms": plain(function(*map(_tensor, (tokens, q, K, w, b))), "the terms")}


def count(function: Function, outputs: Array) -> dict[str, Any]:
    """Return the count."""
    return {"the count": number(function(outputs), "the count")}


def by_hand(function: Function) -> dict[str, Any]:
    """Return the weights that were chosen."""
    queries, K, w, b = several(function(), 4, "what it returns")
    arrays = {"queries": queries, "K": K, "w": w}
    return {name: plain(item, name) for name, item in arrays.items()} | {"b": number(b, "b")}


def placed(function: Function) -> dict[str, Any]:
    """Return the weights that were chosen for one head that reads positions."""
    q, K, w, b = several(function(), 4, "what it returns")
    arrays = {"q": q, "K": K, "w": w}
    return {name: plain(item, name) for name, item in arrays.items()} | {"b": number(b, "b")}


def trained_easy(
    attend: Function,  # noqa: ARG001
    token_logit: Function,
    seeds: tuple[int, ...] = SEEDS[:3],
    **case: Array,
) -> dict[str, Any]:
    """Return values and gradients where there are inputs; train from each start where there are none.

    What it is built on is asked for, too, so that a mistake there is known for what it is.
    """
    if case:
        return _with_gradients("token_logit", token_logit, **case)
    models = [_trained_easy(token_logit, seed) for seed in seeds]
    return {
        name: torch.stack(made)
        for name, made in zip("QKwb", zip(*models, strict=True), strict=True)
    }


def _trained_easy(token_logit: Function, seed: int) -> list[torch.Tensor]:
    """Train the easy task's model."""
    generator = torch.Generator().manual_seed(seed)
    starts = [_drawn((4, 3), generator), _drawn((4, 3), generator), np.zeros(4), np.zeros(())]
    Q, K, w, b = (_tensor(start).requires_grad_() for start in starts)

    def loss(step: int) -> Any:
        tokens, right = _sentences(step, 3)
        logits = token_logit(tokens, Q, K, w, b)
        _fit(logits, (BATCH,), f"For {BATCH} sentences")
        return _cross_entropy(logits, right.to(logits.dtype), reduction="mean")

    _train([Q, K, w, b], loss, EASY_RATE)
    return [parameter.detach() for parameter in (Q, K, w, b)]


def trained_xor(
    xor_logits: Function, seeds: tuple[int, ...] = SEEDS, **case: Array
) -> dict[str, Any]:
    """Return values and gradients where there are inputs; train eight models where there are none."""
    if case:
        return _with_gradients("xor_logits", xor_logits, **case)
    drawn = []
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed)
        drawn.append([_drawn(size, generator) for size in ((2, 3), (4, 3))])
    number = len(seeds)
    starts = [np.stack(each) for each in zip(*drawn, strict=True)]
    starts += [np.zeros((number, 2, 4)), np.zeros(number)]
    queries, K, w, b = (_tensor(start).requires_grad_() for start in starts)

    def loss(step: int) -> Any:
        tokens, right = _sentences(step, 4)
        logits = xor_logits(tokens, queries, K, w, b)
        _fit(logits, (number, BATCH), f"For {number} models and {BATCH} sentences")
        wanted = right.to(logits.dtype).expand(logits.shape)
        return _cross_entropy(logits, wanted, reduction="none").mean(dim=1).sum()

    _train([queries, K, w, b], loss, XOR_RATE)
    made = {"queries": queries, "K": K, "w": w, "b": b}
    return {name: parameter.detach() for name, parameter in made.items()}


def _with_gradients(
    name: str, function: Function, tokens: Array, weights: Array, **parameters: Array
) -> dict[str, Any]:
    """Return logits, and the gradients of their weighted sum; those that nothing reaches are zero.

    The function is called twice, for one that remembers would give other numbers then.
    """
    given = {key: _tensor(item).requires_grad_() for key, item in parameters.items()}
    with torch.enable_grad():
        once, twice = (watched(function, name)(_tensor(tokens), *given.values()) for _ in "ab")
    what = f"what {name} returns"
    values = plain(once, what)
    if not np.array_equal(values, plain(twice, what)):
        raise Refused(f"{what} is not the same when it is called twice with the same inputs.")
    found = {what: values}
    gradients: Sequence[Any] = [None] * len(given)
    reached = isinstance(once, torch.Tensor) and once.requires_grad
    if reached and once.shape == weights.shape:
        gradients = torch.autograd.grad(
            (once * _tensor(weights)).sum(), list(given.values()), allow_unused=True
        )
    for (key, item), gradient in zip(given.items(), gradients, strict=True):
        slopes = torch.zeros_like(item) if gradient is None else gradient
        found[f"its gradient with respect to {key}"] = plain(slopes)
    return found


def _train(parameters: list[torch.Tensor], loss_of: Callable[[int], Any], rate: float) -> None:
    """Train with Adam; a parameter that the loss does not use stays as it is."""
    optimizer = torch.optim.Adam(parameters, lr=rate)
    for step in range(STEPS):
        optimizer.zero_grad()
        with torch.enable_grad():
            loss = loss_of(step)
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


def _sentences(seed: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw sentences, and whether each is of the right kind."""
    tokens, right = sentences(np.random.default_rng([1, seed]), BATCH, length)
    return _tensor(tokens), _tensor(right)


def _drawn(size: tuple[int, ...], generator: torch.Generator) -> Array:
    """Draw standard normal numbers, the same whatever the notebook's default dtype is."""
    return torch.randn(size, generator=generator, dtype=torch.float32).numpy()


def _tensor(numbers: Any) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.get_default_dtype())
