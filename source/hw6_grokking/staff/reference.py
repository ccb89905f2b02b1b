"""The right answers: numpy, slow and obvious."""

from collections.abc import Mapping

import numpy as np

from autograder.kit import Array

from .shared import HEADS


def logits(pairs: Array, w: Mapping[str, Array]) -> Array:
    """Return the logits (N, 3, p + 1) at every position of the sentences a, b, =.

    Complex weights are welcome: that is how slopes are found. So is a first axis of many weights
    in place of one, which the result has then, too.
    """
    p = w["W_E"].shape[-2] - 1
    tokens = np.concatenate([pairs.astype(int), np.full((len(pairs), 1), p)], axis=1)
    x = np.take(w["W_E"], tokens, axis=-2) + w["W_pos"][..., None, :, :]
    state = x
    for head in range(HEADS):
        queries, keys, values = (
            _read(x, w[name][..., head, :, :]) for name in ("W_Q", "W_K", "W_V")
        )
        scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
        scores = np.where(np.triu(np.ones((3, 3)), 1) > 0, -1e9, scores)
        shares = np.exp(scores - scores.real.max(axis=-1, keepdims=True))
        shares = shares / shares.sum(axis=-1, keepdims=True)
        state = state + _read(shares @ values, w["W_O"][..., head, :, :])
    hidden = _read(state, w["W_in"])
    hidden = np.where(hidden.real > 0, hidden, 0)
    return _read(state + _read(hidden, w["W_out"]), w["W_U"])


def _read(vectors: Array, matrix: Array) -> Array:
    """Apply a matrix, or each of many, to vectors (..., N, 3, width)."""
    # One product of two matrices where there is one matrix; numpy multiplies a row of them slowly.
    rows = vectors.reshape(*vectors.shape[:-3], -1, vectors.shape[-1])
    result: Array = rows @ matrix.swapaxes(-1, -2)
    return result.reshape(*result.shape[:-2], *vectors.shape[-3:-1], -1)


def cross_entropy(pairs: Array, w: Mapping[str, Array]) -> float:
    """Return the mean cross-entropy of (a + b) mod p at the last position."""
    return float(_mean_loss(pairs, w).real)


def _mean_loss(pairs: Array, w: Mapping[str, Array]) -> Array:
    p = w["W_E"].shape[-2] - 1
    found = logits(pairs, w)[..., -1, :]
    # Less than the largest, so that nothing is rounded off where logits are huge.
    less = found - found.real.max(axis=-1, keepdims=True)
    answers = pairs.astype(int).sum(axis=1) % p
    losses = np.log(np.exp(less).sum(axis=-1)) - less[..., np.arange(len(pairs)), answers]
    result: Array = losses.mean(axis=-1)
    return result


def fourier_power(E: Array) -> dict[str, Array]:
    """Return each frequency's share of an embedding's power, its mean left out.

    Args:
        E: (p, d), p odd; row a is the embedding of token a.

    Frequency k = 1, ..., (p - 1) / 2 has the power |sum_a E[a] exp(-2 pi i k a / p)|^2, summed
    over the d columns.
    """
    p = len(E)
    power = []
    for k in range(1, (p + 1) // 2):
        wave = np.exp(-2j * np.pi * k * np.arange(p) / p)
        power.append((np.abs(wave @ E) ** 2).sum())
    return {"the power of each frequency": np.array(power) / np.sum(power)}


def keep_and_remove(E: Array, frequencies: Array) -> dict[str, Array]:
    """Return the part of an embedding (p, d) in some frequencies, with its mean, and the rest, with it."""
    p = len(E)
    kept, removed = np.zeros_like(E), np.zeros_like(E)
    for k in range((p + 1) // 2):
        part = np.zeros_like(E)
        for wave in (np.cos, np.sin):
            direction = wave(2 * np.pi * k * np.arange(p) / p)
            if np.any(direction):  # the sine of frequency 0 is no direction
                direction = direction / np.linalg.norm(direction)
                part = part + np.outer(direction, direction @ E)
        if k == 0:
            kept, removed = kept + part, removed + part
        elif k in frequencies:
            kept = kept + part
        else:
            removed = removed + part
    return {"the embedding with them alone": kept, "the embedding without them": removed}


def mirror_share(trained: Array, others: Array) -> dict[str, Array]:
    """Return the share of other pairs (n, 2) whose mirror image is trained on; trained (m, 2)."""
    found = 0
    for a, b in others.tolist():
        if a == b:
            continue  # its mirror image is itself, which is not trained on
        for pair in trained.tolist():
            if pair == [b, a]:
                found += 1
    return {"the share": np.array(found / len(others))}


def naive_forward(
    pairs: Array, coefficients: Array, **weights_and_directions: Array
) -> dict[str, Array]:
    """Return the logits at all positions, and what `_forward` says; coefficients (N, 3, p + 1)."""
    return _forward(pairs, coefficients, weights_and_directions, slice(None))


def fast_forward(
    pairs: Array, coefficients: Array, **weights_and_directions: Array
) -> dict[str, Array]:
    """Return the logits at the last position, and what `_forward` says; coefficients (N, p + 1)."""
    return _forward(pairs, coefficients, weights_and_directions, -1)


def _forward(
    pairs: Array, coefficients: Array, given: Mapping[str, Array], position: slice | int
) -> dict[str, Array]:
    """Return logits, their slopes, and the logits where every weight has moved along its direction.

    Args:
        pairs: (N, 2).
        coefficients: As the logits, in a sum whose slopes are taken.
        given: Each weight by its name, and `along_` before it: the direction.
        position: Which of the three is looked at.
    """
    w = {name: item for name, item in given.items() if not name.startswith("along_")}
    moved = {name: w[name] + given[f"along_{name}"] for name in w}
    return {
        **slopes(pairs, coefficients, given, position),
        "the array of logits after a change of the weights": logits(pairs, moved)[:, position],
    }


def slopes(
    pairs: Array, coefficients: Array, given: Mapping[str, Array], position: slice | int = -1
) -> dict[str, Array]:
    """Return logits, and the slope of a sum of them along the direction in each weight; see `_forward`.

    A slope is the imaginary part of the sum at a weight that is moved by i h along its direction,
    over h: nothing is subtracted, so h may be tiny (Squire and Trapp, SIAM Review 40, 1998).
    """
    step = 1e-30
    w = {name: item for name, item in given.items() if not name.startswith("along_")}
    found = {"the array of logits": logits(pairs, w)[:, position]}
    for name in w:
        moved = w[name] + 1j * step * given[f"along_{name}"]
        total = (coefficients * logits(pairs, {**w, name: moved})[:, position]).sum()
        found[f"the slope along {name}"] = np.array(total.imag / step)
    return found


def one_epoch(pairs: Array, epochs: int, rate: float, **w: Array) -> dict[str, Array]:
    """Return the losses before each step of AdamW, and the weights after the last.

    Each slope is found as in `fast_forward`, those of a matrix at once: of as many matrices as it
    has entries, each with another one moved. AdamW as Loshchilov and Hutter give it (arXiv
    1711.05101, algorithm 2), with decay 1, betas 0.9 and 0.98, epsilon 1e-8.
    """
    step = 1e-30
    w = {name: item.astype(float) for name, item in w.items()}
    first, second = ({name: np.zeros(item.shape) for name, item in w.items()} for _ in range(2))
    losses = []
    for epoch in range(1, int(epochs) + 1):
        losses.append(cross_entropy(pairs, w))
        slopes = {}
        for name, item in w.items():
            moved = item + 1j * step * np.eye(item.size).reshape(item.size, *item.shape)
            losses_there = _mean_loss(pairs, {**w, name: moved})
            slopes[name] = losses_there.imag.reshape(item.shape) / step
        for name, slope in slopes.items():
            first[name] = 0.9 * first[name] + 0.1 * slope
            second[name] = 0.98 * second[name] + 0.02 * slope**2
            root = np.sqrt(second[name] / (1 - 0.98**epoch)) + 1e-8
            w[name] = w[name] - rate * (w[name] + first[name] / (1 - 0.9**epoch) / root)
    return {
        "the array of losses": np.array(losses),
        **{f"{name} afterwards": w[name] for name in w},
    }


def naive_cost(number: int, p: int, width: int, hidden: int) -> int:
    """Return the multiply-adds of the naive form for so many pairs: three rows each."""
    projections = 4 * 3 * width * width
    scores = 2 * 3 * 3 * width
    neurons = 2 * 3 * width * hidden
    return number * (projections + scores + neurons + 3 * width * (p + 1))
