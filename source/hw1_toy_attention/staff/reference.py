"""The right answers: numpy, float64, slow and obvious."""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np

from autograder.kit import Array

NOISE_MEAN = 0.8
"""Up to this mean, in absolute value, noise is not taken for a sign by hand-chosen weights."""
STEP = 1e-5
"""Of a central difference."""


def attend(tokens: Array, queries: Array, K: Array) -> dict[str, Array]:
    """Return each sentence's weighted average of tokens, (n, k), and its weights, (n, T)."""
    scores = np.einsum("nd,ntd->nt", queries, tokens @ K)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return {"z": np.einsum("nt,ntk->nk", weights, tokens), "the weights": weights}


def losses(logits: Array, labels: Array) -> dict[str, Array]:
    """Return the mean of -p(label), and of -log p(label)."""
    demo, right = [], []
    for row, label in zip(logits, labels, strict=True):
        shifted = row - row.max()
        total = np.exp(shifted).sum()
        demo.append(-np.exp(shifted[label]) / total)
        right.append(np.log(total) - shifted[label])
    return {
        "the loss of the demo": np.array(np.mean(demo)),
        "the cross-entropy": np.array(np.mean(right)),
    }


def logits(tokens: Array, queries: Array, K: Array, w: Array, b: float) -> Array:
    """Return w . z + b for each sentence, (n,)."""
    result: Array = attend(tokens, queries, K)["z"] @ w + b
    return result


def odd(
    tokens: Array,
    q: Array,
    K: Array,
    w: Array,
    b: float,
    linear: Array,
    square: Array,
    constant: float,
) -> dict[str, Array]:
    """Return the learned query's logits, (n,), their mean's gradients, and two functions' oddness."""
    largest = 0.0
    for sentence in tokens:
        here, there = (
            (linear * x).sum() + (square * x * x).sum() + constant for x in (sentence, -sentence)
        )
        gap = here + there - 2 * b
        if gap < 0:
            gap = -gap
        if gap > largest:
            largest = gap

    def of(q: Array, K: Array, w: Array, b: Array) -> Array:
        return logits(tokens, np.tile(q, (len(tokens), 1)), K, w, float(b))

    weights = np.full(len(tokens), 1 / len(tokens))
    return {
        **_with_slopes("learned_logit", of, weights, {"q": q, "K": K, "w": w, "b": np.array(b)}),
        "the oddness of a function that the check gives": np.array(largest),
        "the oddness of x[:, 0, 0]": np.array(2 * abs(b)),
    }


def token_logit(
    tokens: Array, weights: Array, Q: Array, K: Array, w: Array, b: Array
) -> dict[str, Array]:
    """Return the logits (n,) where token 2 asks, and the gradients of their weighted sum."""

    def of(Q: Array, K: Array, w: Array, b: Array) -> Array:
        return logits(tokens, tokens[:, 1] @ Q, K, w, float(b))

    return _with_slopes("token_logit", of, weights, {"Q": Q, "K": K, "w": w, "b": b})


def xor_logits(
    tokens: Array, weights: Array, queries: Array, K: Array, w: Array, b: Array
) -> dict[str, Array]:
    """Return the logits (m, n) of a stack of models, and the gradients of their weighted sum."""

    def of(queries: Array, K: Array, w: Array, b: Array) -> Array:
        models = zip(queries, K, w, b, strict=True)
        return np.array([heads(tokens, *model) for model in models])

    parameters = {"queries": queries, "K": K, "w": w, "b": b}
    return _with_slopes("xor_logits", of, weights, parameters)


def _with_slopes(
    name: str,
    function: Callable[..., Array],
    weights: Array,
    parameters: Mapping[str, Array],
) -> dict[str, Array]:
    """Return a function's values, and how their weighted sum changes with each parameter.

    The slopes are central differences; their error is some 1e-9.
    """
    found = {f"what {name} returns": function(**parameters)}
    for moved, parameter in parameters.items():
        slopes = np.zeros(parameter.shape)
        for place in np.ndindex(parameter.shape):
            step = np.zeros(parameter.shape)
            step[place] = STEP
            above, below = (
                (weights * function(**{**parameters, moved: parameter + side * step})).sum()
                for side in (1, -1)
            )
            slopes[place] = (above - below) / (2 * STEP)
        found[f"its gradient with respect to {moved}"] = slopes
    return found


def terms(tokens: Array, q: Array, K: Array, w: Array, b: float) -> dict[str, Array]:
    """Return e^(score) (w . x + b) of each token, (n, T)."""
    return {
        "the terms": np.array(
            [[np.exp(q @ (x @ K)) * (x @ w + b) for x in sentence] for sentence in tokens]
        )
    }


def count(outputs: Array) -> dict[str, Array]:
    """Return how many rows a threshold splits as XOR does, with a gap above 1e-6."""
    total = 0
    for same_plus, first, last, same_minus in outputs:
        if min(first, last) - max(same_plus, same_minus) > 1e-6:
            total += 1
        if min(same_plus, same_minus) - max(first, last) > 1e-6:
            total += 1
    return {"the count": np.array(total)}


def hard_noise() -> Array:
    """Return the corners of what noise may be, (m, 4): numbers up to 1 whose mean is up to NOISE_MEAN.

    A corner has numbers of +1 and -1 alone, or three of them and one that makes the mean
    NOISE_MEAN or -NOISE_MEAN. There are also tokens of four equal numbers between.
    """
    signs = np.array(list(product((-1.0, 1.0), repeat=4)))
    means = signs.mean(axis=1)
    cut = np.ones((4, 4)) - (4 - 4 * NOISE_MEAN) * np.eye(4)
    equal = np.linspace(-NOISE_MEAN, NOISE_MEAN, 17)[:, None] * np.ones(4)
    return np.concatenate([signs[np.abs(means) <= NOISE_MEAN], cut, -cut, equal])


def hard_sentences(rng: np.random.Generator, number: int) -> tuple[Array, Array]:
    """Draw sentences of all four sign patterns, the first ones with all pairs of hard noise.

    The noise of the others is drawn evenly from what it may be.
    """
    drawn = rng.uniform(-1, 1, size=(4 * number, 4))
    drawn = drawn[np.abs(drawn.mean(axis=1)) <= NOISE_MEAN]
    tokens = np.ones((number, 4, 4))
    tokens[:, 1], tokens[:, 2] = drawn[:number], drawn[number : 2 * number]
    pairs = np.array(list(product(hard_noise(), repeat=2)))
    tokens[: 4 * len(pairs), 1:3] = np.repeat(pairs, 4, axis=0)
    for place, (first, last) in enumerate(product((1.0, -1.0), repeat=2)):
        tokens[place::4, 0], tokens[place::4, 3] = first, last
    return tokens, tokens[:, 0, 0] != tokens[:, 3, 0]


def placed_sentences(rng: np.random.Generator, number: int) -> tuple[Array, Array]:
    """Return sentences with positions, (m, 4 patterns, 4, 8), and the patterns' labels, (4,).

    The noise is each pair of extreme tokens, then pairs that are drawn.
    """
    corners = np.array(list(product((-1.0, 1.0), repeat=4)))
    equal = np.linspace(-1, 1, 21)[:, None] * np.ones(4)
    extreme = np.array(list(product(np.concatenate([corners, equal]), repeat=2)))
    noise = np.concatenate([extreme, rng.uniform(-1, 1, size=(number, 2, 4))])
    tokens = np.zeros((len(noise), 4, 4, 8))
    tokens[..., 4:] = np.eye(4)
    tokens[:, :, 1:3, :4] = noise[:, None]
    signs = np.array(list(product((1.0, -1.0), repeat=2)))
    tokens[:, :, 0, :4], tokens[:, :, 3, :4] = signs[:, [0]], signs[:, [1]]
    return tokens, signs[:, 0] != signs[:, 1]


@np.errstate(over="ignore", invalid="ignore")  # weights of any size may be handed in
def heads(tokens: Array, queries: Array, K: Array, w: Array, b: float) -> Array:
    """Return the logits (n,) of a model with several heads: queries (h, d), w (h, k)."""
    total = np.full(len(tokens), float(b))
    for query, readout in zip(queries, w, strict=True):
        scores = tokens @ (K @ query)  # in this order nothing grows with the size of a key
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        total += np.einsum("nt,ntk,k->n", weights, tokens, readout)
    return total
