"""What both sides draw and know: the pairs that are trained on, weights, their shapes, settings."""

import numpy as np

from autograder.kit import Array

HEADS = 4
"""Of the source's model."""
LOG = (29, 0.4, 64, 256)
SMALL = (43, 0.85, 64, 128)
"""Modulus, share of the pairs to train on, width and neurons: of `log_reproduction` and of `groks`."""
LOG_EPOCHS = 66


def weights_shapes(p: int, width: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """Return every weight's shape: the last axis is what it reads, the one before what it writes."""
    size = width // HEADS
    return {
        "W_E": (p + 1, width),
        "W_pos": (3, width),
        "W_Q": (HEADS, size, width),
        "W_K": (HEADS, size, width),
        "W_V": (HEADS, size, width),
        "W_O": (HEADS, width, size),
        "W_in": (hidden, width),
        "W_out": (width, hidden),
        "W_U": (p + 1, width),
    }


def halves(p: int, share: float) -> tuple[Array, Array]:
    """Return the pairs (n, 2) that are trained on, and the others."""
    order = np.random.default_rng(6).permutation(p * p)
    pairs = np.stack(np.divmod(order, p), axis=1)
    return pairs[: int(share * p * p)], pairs[int(share * p * p) :]


def drawn(seed: int, p: int, width: int, hidden: int) -> dict[str, Array]:
    """Draw weights, and a direction in each by the name `along_` and its own."""
    rng, found = np.random.default_rng(seed), {}
    for name, size in weights_shapes(p, width, hidden).items():
        scale = 1.0 if name in ("W_E", "W_pos") else width**-0.5
        found[name] = scale * rng.normal(size=size)
        found[f"along_{name}"] = rng.normal(size=size) / found[name].size ** 0.5
    return found
