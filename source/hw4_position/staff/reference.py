"""The right answers: numpy, float64, slow and obvious."""

import math
from collections.abc import Mapping

import numpy as np

from autograder.kit import Array

WIDTH, HEADS, HIDDEN = 16, 2, 64
"""The architecture that the notebook gives."""
MODES = ("in training", "in evaluation", "in evaluation without gradients")
"""In which a mask is tried."""
BASE = 10000.0
"""Of the rotation that `previous_by_rotation` is for."""
FORBIDDEN = -1e4
"""What an adapter writes for a bias that is as small, minus infinity among them."""


def ceiling(M: Array) -> dict[str, Array]:
    """Return the largest share of pairs that one answer for each unordered pair gets right."""
    n, right = len(M), 0
    for i in range(n):
        for j in range(i, n):
            right += 1
            if i != j and M[i, j] == M[j, i]:
                right += 1
    return {"the share": np.array(right / n**2)}


def weights_shapes(n: int, layers: int) -> dict[str, tuple[int, ...]]:
    """Return every weight's shape by its name in torch."""
    shapes: dict[str, tuple[int, ...]] = {"embedding.weight": (n, WIDTH)}
    for layer in range(layers):
        of_layer = {
            "self_attn.in_proj_weight": (3 * WIDTH, WIDTH),
            "self_attn.in_proj_bias": (3 * WIDTH,),
            "self_attn.out_proj.weight": (WIDTH, WIDTH),
            "self_attn.out_proj.bias": (WIDTH,),
            "linear1.weight": (HIDDEN, WIDTH),
            "linear1.bias": (HIDDEN,),
            "linear2.weight": (WIDTH, HIDDEN),
            "linear2.bias": (WIDTH,),
            "norm1.weight": (WIDTH,),
            "norm1.bias": (WIDTH,),
            "norm2.weight": (WIDTH,),
            "norm2.bias": (WIDTH,),
        }
        shapes |= {f"encoder.layers.{layer}.{name}": size for name, size in of_layer.items()}
    return shapes | {"unembedding.weight": (n, WIDTH), "unembedding.bias": (n,)}


def layers_of(weights: Mapping[str, object]) -> int:
    """Count the layers of which there are weights."""
    return sum(name.endswith("norm1.weight") for name in weights)


def encode(
    x: Array, weights: Mapping[str, Array], blocked: Array, added: Array | float = 0.0
) -> Array:
    """Return what the encoder makes of states (N, T, WIDTH).

    Args:
        x: The states.
        weights: By torch's names.
        blocked: (T, T), 1 where a position, the row, may not look at one, the column.
        added: To the scores, (T, T).

    Attention, then two linear maps with a ReLU between; each is added to what came in, and the
    sum is normalised (Vaswani et al. 2017, post-norm, as torch.nn.TransformerEncoderLayer does).
    """
    for layer in range(layers_of(weights)):
        at = f"encoder.layers.{layer}."
        own = {name.removeprefix(at): w for name, w in weights.items() if name.startswith(at)}
        attended = _attended(x, own, blocked, added)
        x = _normalised(x + attended, own["norm1.weight"], own["norm1.bias"])
        hidden = np.maximum(x @ own["linear1.weight"].T + own["linear1.bias"], 0)
        x = x + hidden @ own["linear2.weight"].T + own["linear2.bias"]
        x = _normalised(x, own["norm2.weight"], own["norm2.bias"])
    return x


def _attended(x: Array, own: dict[str, Array], blocked: Array, added: Array | float) -> Array:
    projected = x @ own["self_attn.in_proj_weight"].T + own["self_attn.in_proj_bias"]
    queries, keys, values = np.split(projected, 3, axis=2)
    size = WIDTH // HEADS
    heads = []
    for head in range(HEADS):
        part = slice(head * size, (head + 1) * size)
        scores = queries[..., part] @ keys[..., part].transpose(0, 2, 1) / np.sqrt(size)
        scores = np.where(blocked > 0, -np.inf, scores + added)
        shares = np.exp(scores - scores.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        heads.append(shares @ values[..., part])
    joined = np.concatenate(heads, axis=2)
    result: Array = joined @ own["self_attn.out_proj.weight"].T + own["self_attn.out_proj.bias"]
    return result


def _normalised(x: Array, gain: Array, shift: Array) -> Array:
    centred = x - x.mean(axis=2, keepdims=True)
    result: Array = (
        gain * centred / np.sqrt((centred**2).mean(axis=2, keepdims=True) + 1e-5) + shift
    )
    return result


def future(length: int) -> Array:
    """Return (length, length), 1 where the column is later than the row."""
    return np.triu(np.ones((length, length)), 1)


def masked(states: Array, **weights: Array) -> dict[str, Array]:
    """Return what a causal encoder gives, whatever mode it is in."""
    right = encode(states, weights, future(states.shape[1]))
    return {f"the output {mode}": right for mode in MODES}


def logits(
    pairs: Array, padded: int, blocked: Array, added: Array | float = 0.0, **weights: Array
) -> Array:
    """Return the logits at the last position, (N, n)."""
    states = weights["embedding.weight"][np.asarray(pairs, dtype=int)]
    if padded:
        states = np.concatenate([states, np.zeros((len(states), 1, WIDTH))], axis=1)
    last = encode(states, weights, blocked, added)[:, -1]
    result: Array = last @ weights["unembedding.weight"].T + weights["unembedding.bias"]
    return result


def table_logits(
    pairs: Array, padded: int, blocked: Array, added: Array, **weights: Array
) -> dict[str, Array]:
    """Return the logits as a question's values."""
    return {"the array of logits": logits(pairs, padded, blocked, added, **weights)}


def swap_gap(answers: Array) -> dict[str, Array]:
    """Return the largest change of a logit when the tokens of a pair change places."""
    n, _, tokens = answers.shape
    largest = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            for token in range(tokens):
                gap = answers[i, j, token] - answers[j, i, token]
                if gap > largest:
                    largest = gap
                elif -gap > largest:
                    largest = -gap
    return {"the gap": np.array(largest)}


def states_of(pairs: Array, E: Array) -> Array:
    """Return the states of both positions after one layer that averages causally, (N, 2, d)."""
    first, second = E[pairs[:, 0]], E[pairs[:, 1]]
    return np.stack([first + first, second + (first + second) / 2], axis=1)


def order_from_states(states: Array, E: Array) -> dict[str, Array]:
    """Return the pairs (N, 2) whose states these are, in whatever order the states stand."""
    every = np.array([(i, j) for i in range(len(E)) for j in range(len(E))])
    own = states_of(every, E)
    found = []
    for both in states:
        apart = [np.abs(order - both).max(axis=(1, 2)) for order in (own, own[:, ::-1])]
        found.append(every[np.minimum(*apart).argmin()])
    return {"the array of pairs": np.array(found)}


def training(M: Array, start: Array, steps: int) -> tuple[Array, Array]:
    """Return the losses, one a step, of a table of logits (n, n, tokens) that learns M, and the table.

    Adam with its usual moments (Kingma and Ba 2015, algorithm 1).
    """
    n, rate, eps = len(M), 0.005, 1e-8
    logits, first, second, losses = start.copy(), np.zeros(start.shape), np.zeros(start.shape), []
    right = np.eye(start.shape[2])[M]  # (n, n, tokens)
    for step in range(1, steps + 1):
        shares = np.exp(logits - logits.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        losses.append(-np.log((shares * right).sum(axis=2)).mean())
        gradient = (shares - right) / n**2
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        mean, square = first / (1 - 0.9**step), second / (1 - 0.999**step)
        logits = logits - rate * mean / (np.sqrt(square) + eps)
    return np.array(losses), logits


def symmetric(M: Array) -> Array:
    """Return the table with what stands above the diagonal of M below it, too."""
    result: Array = np.triu(M) + np.triu(M, 1).T
    return result


def turned(row: Array, position: float, base: float) -> Array:
    """Return a row (d,) with each pair of neighbours turned anticlockwise by its own angle."""
    result = row.astype(float)
    for k in range(len(row) // 2):
        angle = position * base ** (-2 * k / len(row))
        u, v = row[2 * k], row[2 * k + 1]
        result[2 * k] = u * math.cos(angle) - v * math.sin(angle)
        result[2 * k + 1] = u * math.sin(angle) + v * math.cos(angle)
    return result


def rotate(x: Array, positions: Array, base: float, along: Array) -> dict[str, Array]:
    """Return the turned rows, and the gradient for x of their product with `along`.

    The gradient of a rotation turns back.
    """
    rows = list(zip(x, along, positions, strict=True))
    return {
        "the rotated array": np.array([turned(row, p, base) for row, _, p in rows]),
        "the array of gradients": np.array([turned(row, -p, base) for _, row, p in rows]),
    }


def weights_back(q: Array, k: Array, length: int = 64) -> Array:
    """Return the last position's weights on itself, the previous one, and so on, (length,)."""
    query = turned(q, length - 1, BASE)
    scores = np.array([query @ turned(k, length - 1 - back, BASE) for back in range(length)])
    shares = np.exp((scores - scores.max()) / math.sqrt(len(q)))
    result: Array = shares / shares.sum()
    return result


def looks_back(result: dict[str, Array], d: int) -> bool | str:
    """Say whether a head with this query and key looks at the previous of 64 positions."""
    for name, part in result.items():
        if part.dtype.kind not in "fiu":
            return f"{name} should be real numbers"
        if part.shape != (d,):
            return f"{name} should have shape {(d,)}, yours has {part.shape}"
        if part @ part > 25.01 * d:
            return f"{name} is longer than 5 times the root of d"
    shares = weights_back(result["q"], result["k"])
    most = int(shares.argmax())
    return bool(shares[1] >= 0.9) or (
        f"the previous position gets {shares[1]:.2f} of the weight; most, {shares[most]:.2f}, goes "
        f"to the position {most} back"
    )


def alibi_bias(heads: int, T: int) -> dict[str, Array]:
    """Return minus each head's slope times the distance, and what forbids above the diagonal."""
    bias = np.full((heads, T, T), FORBIDDEN)
    for head in range(heads):
        for query in range(T):
            for key in range(query + 1):
                bias[head, query, key] = -(2.0 ** (-8 * (head + 1) / heads)) * (query - key)
    return {"the array of biases": bias}
