"""What both sides draw: the laws that are trained on, and the weights with which training begins."""

import numpy as np

from autograder.kit import Array

HEADS = (1, 4)
# A step costs nearly the same for every width, and wide models need few of them. With embeddings that
# begin short, four heads remember more than one from every start: `autograder prove` tries 50.
MANY = (24, 16, 6)
"""Tokens, followers and width where heads are compared."""
SPREAD = 0.5
FEW = (10, 10, 10, 10)
"""Tokens, followers, width and heads where weights are frozen."""
UNEVEN = (10, 6, 2)
"""Tokens, width and heads where contexts count unevenly."""
ALPHA = 0.5
MANY_STEPS, FEW_STEPS, UNEVEN_STEPS = 150, 100, 100
LAST = 0.04
"""How far the loss of the last step may be from that after it, of the first one."""
PARTS = ("W_O alone", "all but W_O")
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "with everything": (),
    "without the residual stream": ("residual",),
}


def with_heads(heads: int) -> str:
    """Say which model it is where heads are compared."""
    return f"with {heads} head{'s' * (heads > 1)}"


def weight_after(name: str, what: str) -> str:
    """Return what a value calls a weight after a training."""
    return f"{name} after training {what}"


def losses_of(what: str) -> str:
    """Return what a value calls the losses of a training."""
    return f"the array of losses of training {what}"


def law(N: int, followers: int) -> tuple[Array, Array]:
    """Return contexts (n, 2), and the token after each (n,), which is certain."""
    rng = np.random.default_rng(5)
    firsts = rng.choice(N, size=followers, replace=False)
    contexts = [(i, j) for i in firsts for j in rng.choice(N, size=followers, replace=False)]
    return np.array(contexts), rng.integers(0, N, size=len(contexts))


def uneven_law() -> tuple[Array, Array, Array]:
    """Return contexts (n, 2), the law of the token after each (n, N), and their probabilities (n,)."""
    N, rng = UNEVEN[0], np.random.default_rng(6)

    def powers(*shape: int) -> Array:
        ranks = np.broadcast_to(np.arange(N), (*shape, N))
        falling: Array = ALPHA ** rng.permuted(ranks, axis=-1)
        return falling

    first, second, third = powers(), powers(N), powers(N, N)
    possible = rng.integers(
        1, N + 1, size=(N, N, 1)
    )  # tokens after a context: one, or several, or all
    third[third <= ALPHA ** possible.astype(float)] = 0
    first, second, third = (law / law.sum(axis=-1, keepdims=True) for law in (first, second, third))
    contexts = np.array([(i, j) for i in range(N) for j in range(N)])
    return contexts, third.reshape(-1, N), (first[:, None] * second).reshape(-1)


def start(N: int, d: int, heads: int, seed: int = 0, spread: float = 1.0) -> dict[str, Array]:
    """Return the weights with which training begins; spread is the embeddings' deviation."""
    rng = np.random.default_rng([55, seed, heads])
    return {
        name: (spread if name in ("W_E", "W_pos") else (2 * d) ** -0.5) * rng.normal(size=size)
        for name, size in weights_shapes(N, d, heads, d).items()
    }


def weights_shapes(N: int, d: int, heads: int, size: int) -> dict[str, tuple[int, ...]]:
    """Return every weight's shape: the last axis is what it reads, the one before what it writes."""
    inward, outward = (heads, size, d), (heads, d, size)
    return {
        "W_E": (N, d),
        "W_pos": (2, d),
        "W_Q": inward,
        "W_K": inward,
        "W_V": inward,
        "W_O": outward,
        "W_U": (N, d),
    }
