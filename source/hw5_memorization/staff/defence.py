"""Inputs that a person can work through, for questions on a student's own answers."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs


def power(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw choices among two tokens."""
    return [
        {
            "alphas": rng.choice([1.0, 2.0, 3.0], 3),
            "first": rng.permutation(2),
            "second": rng.integers(0, 2, size=(2, 1)),
            "third": rng.integers(0, 2, size=(2, 2, 1)),
            "N": 2,
        }
        for _ in range(2)
    ]


def last(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw the best of two tokens."""
    return [
        {"best": rng.integers(0, 2, size=(2, 2)), "beta": float(beta)}
        for beta in rng.choice([0.6, 0.75, 0.9], 2, replace=False)
    ]


def rank(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw embeddings of size 1."""
    return [{"E": _whole(rng, 2, 1), "U": _whole(rng, 3, 1)} for _ in range(3)]


def entropy(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw laws of two tokens."""
    fair, sure = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    cases: list[Inputs] = []
    for _ in range(3):
        laws = [np.stack([(fair, sure)[n] for n in rng.integers(0, 2, k)]) for k in (1, 2, 4)]
        cases.append({"law_1": laws[0][0], "law_2": laws[1], "law_3": laws[2].reshape(2, 2, 2)})
    return cases


def scores(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw three pairs of scores."""
    return [{"scores": _whole(rng, 3, 2)} for _ in range(3)]


def losses(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw logits of two contexts, a law and tokens."""
    return [
        {
            "found": _whole(rng, 2, 2),
            "law": np.array([[0.5, 0.5], [0.25, 0.75]])[rng.permutation(2)],
            "tokens": rng.integers(0, 2, size=2),
        }
        for _ in range(2)
    ]


def heads(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw a model of size 1 with one head, and one context."""
    sizes: dict[str, tuple[int, ...]] = {"W_E": (2, 1), "W_pos": (2, 1), "W_U": (2, 1)}
    sizes |= dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (1, 1, 1))
    return [
        {"contexts": rng.integers(0, 2, size=(1, 2))}
        | {name: _whole(rng, *size) for name, size in sizes.items()}
        for _ in range(2)
    ]


def spaces(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw two spaces of one dimension."""
    return [{"A": _whole(rng, 3, 1), "B": _whole(rng, 3, 1)} for _ in range(3)]


def _whole(rng: np.random.Generator, *shape: int) -> Array:
    found = rng.integers(-2, 3, size=shape).astype(float)
    found.flat[0] = 1.0  # nothing is 0 throughout
    return found


SMALL = {
    "power_unif_law": power,
    "last_position_law": last,
    "gen_d_law": rank,
    "entropy": entropy,
    "two_way_softmax_is_sigmoid": scores,
    "two_losses": losses,
    "head_logits": heads,
    "gauge": spaces,
}
