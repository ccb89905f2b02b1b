"""The right answers: numpy, float64, slow and obvious."""

from itertools import product

import numpy as np

from autograder.model import Array

NOISE_MEAN = 0.8
"""Up to this mean, in absolute value, noise is not taken for a sign by hand-chosen weights."""


def attend(tokens: Array, queries: Array, K: Array) -> dict[str, Array]:
    """Return each sentence's weighted average of tokens, (n, k), and its weights, (n, T)."""
    averages, all_weights = [], []
    for sentence, query in zip(tokens, queries, strict=True):
        scores = np.array([query @ (token @ K) for token in sentence])
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        averages.append(sum(p * token for p, token in zip(weights, sentence, strict=True)))
        all_weights.append(weights)
    return {"z": np.array(averages), "the weights": np.array(all_weights)}


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


def odd(tokens: Array, Q: Array, q: Array, K: Array, w: Array, b: float) -> dict[str, Array]:
    """Return both models' logits, and the oddness of each and of a sum with a constant."""
    found: dict[str, Array] = {}
    for name, queries_of in (
        ("token_logit", lambda x: x[:, 1] @ Q),
        ("learned_logit", lambda x: np.tile(q, (len(x), 1))),
    ):
        here, there = (logits(x, queries_of(x), K, w, b) for x in (tokens, -tokens))
        found[f"what {name} returns"] = here
        found[f"the oddness of {name}"] = np.array(np.abs(here + there - 2 * b).max())
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
        lowest, highest = min(first, last), max(first, last)
        above = lowest - max(same_plus, same_minus) > 1e-6
        below = min(same_plus, same_minus) - highest > 1e-6
        total += int(above or below)
    return {"the count": np.array(total)}


def sentences(rng: np.random.Generator, number: int, length: int = 4) -> tuple[Array, Array]:
    """Draw sentences, (number, length, 4), and whether each is of the right kind, (number,).

    Of three tokens: whether the first is positive; of four: whether first and last differ.
    """
    tokens = rng.uniform(-1, 1, size=(number, length, 4))
    first, last = rng.choice([-1.0, 1.0], size=(2, number))
    tokens[:, 0] = first[:, None]
    if length == 3:
        return tokens, first > 0
    tokens[:, 3] = last[:, None]
    return tokens, first != last


def hard_sentences(rng: np.random.Generator, number: int) -> tuple[Array, Array]:
    """Draw sentences of all four sign patterns; noise of many means, up to +-NOISE_MEAN."""
    tokens, _ = sentences(rng, number)
    means = rng.uniform(-NOISE_MEAN, NOISE_MEAN, size=(number, 2))
    noise = tokens[:, 1:3]
    # Numbers around each mean that stay within (-1, 1).
    room = 1 - np.abs(means)[..., None]
    tokens[:, 1:3] = means[..., None] + room * (noise - noise.mean(axis=2, keepdims=True)) / 2
    corners = np.array(list(product((-NOISE_MEAN, NOISE_MEAN), repeat=2)))
    tokens[: len(corners) * 4, 1:3] = np.repeat(corners, 4, axis=0)[..., None]
    for place, (first, last) in enumerate(product((1.0, -1.0), repeat=2)):
        tokens[place::4, 0], tokens[place::4, 3] = first, last
    return tokens, tokens[:, 0, 0] != tokens[:, 3, 0]


def heads(tokens: Array, queries: Array, K: Array, w: Array, b: float) -> Array:
    """Return the logits (n,) of a model with several heads: queries (h, d), w (h, k)."""
    total = np.full(len(tokens), float(b))
    for query, readout in zip(queries, w, strict=True):
        scores = tokens @ K @ query
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        total += np.einsum("nt,ntk,k->n", weights, tokens, readout)
    return total
