"""Inputs that a person can work through, for questions on a student's own answers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.kit import Array, Inputs

Draw = Callable[[np.random.Generator], Sequence[Inputs]]


def purifier(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data of two rows."""
    return [{"X": _whole(rng, 2, 2), "lam": float(rng.integers(1, 4))} for _ in range(3)]


def svd(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw singular values beside directions along the axes."""
    return [
        {
            "U": np.eye(2)[:, rng.permutation(2)],
            "s": np.sort(rng.choice([1.0, 2.0, 3.0], 1 + n % 2, replace=False))[::-1].copy(),
            "lam": float(rng.integers(1, 4)),
        }
        for n in range(3)
    ]


def argmax(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw three keys, of which one is best."""
    cases: list[Inputs] = []
    while len(cases) < 3:
        case = {"q": _whole(rng, 2), "K": _whole(rng, 3, 2), "V": _whole(rng, 3, 1)}
        scores = np.sort(case["K"] @ case["q"])
        if scores[-1] > scores[-2]:
            cases.append(case)
    return cases


def moments(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw small whole numbers."""
    return [
        {"mu": float(mu), "sigma": float(sigma), "d": int(d)}
        for mu, sigma, d in rng.permuted(np.array([[1, 2, 3], [2, 3, 4], [2, 1, 3]]), axis=1)
    ]


def quadratic(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw two points in the plane."""
    order = np.array([0, 0, 1, 1])
    return [{"x": _whole(rng, 2), "y": _whole(rng, 2), "order": order} for _ in range(3)]


def frequencies(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw a point and two frequencies."""
    return [{**case, "W": _whole(rng, 2, 2)} for case in quadratic(rng)]


def number(name: str, *values: float) -> Draw:
    """Return what draws a question's one number from some."""

    def draw(rng: np.random.Generator) -> Sequence[Inputs]:
        chosen: list[Any] = rng.choice(values, 3, replace=False).tolist()
        return [{name: value} for value in chosen]

    return draw


FAR = 900.0
"""Between two scores: so far apart that a weight is 0 exactly."""


def merged(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw three blocks for two queries: the first two maxima are equal for one query, and far apart for the other."""
    cases: list[Inputs] = []
    for _ in range(3):
        m = np.array([[0, 0, 0], [0, FAR, FAR]])  # a row for each query
        m[1, :2] = rng.permutation(m[1, :2])
        m = rng.permutation(m).T
        case = {"m": m, "l": rng.integers(1, 5, (3, 2)), "o": rng.integers(-4, 5, (3, 2))}
        cases.append({name: item[..., None].astype(float) for name, item in case.items()})
    return [{**case, "order": np.arange(3)} for case in cases]


def blocks(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw a query that takes the mean of four values, and one that takes the best one's."""
    return [
        {
            "Q": rng.permutation([[0.0], [FAR]]),
            "K": rng.permutation([[-1.0], [0.0], [1.0], [2.0]]),
            "V": rng.permutation(9)[:4, None] - 4.0,
            "size": size,
        }
        for size in (2, 3, 2)
    ]


def decoded(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw a layer of width 1: its weights are all equal, or one of them is 1."""
    return [
        {
            "E": rng.permutation([[1.0], [2.0]]),
            "P": rng.permutation([[-3.0], [0.0], [3.0], [6.0]]),  # no stream is 0, or as another
            "Q": np.array([[gain]]),
            "K": rng.choice([[[1.0]], [[-1.0]]]),
            "V": rng.choice([[[1.0]], [[2.0]]]),
            "U": np.array([[1.0, -1.0]]),
            "tokens": rng.integers(2, size=3),
            "more": rng.integers(2, size=1),
            "pieces": np.array([2, 1]),
        }
        for gain in rng.permutation([0.0, FAR, FAR])
    ]


def caches(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw caches of a few numbers."""
    names = ("layers", "heads", "width", "tokens")
    return [
        {**dict(zip(names, rng.permutation([1, 2, 3, 5]).tolist(), strict=True)), "bits": bits}
        for bits in (8, 16, 32)
    ]


def skew_directions(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data whose directions, the columns of U, are neither orthogonal nor of length 1."""
    X, U, s = _data(rng)
    skew = U + 0.4 * rng.normal(size=U.shape)
    return [{"X": skew @ U.T @ X, "U": skew, "s": s, "lam": float(rng.uniform(0.5, 3))}]


def skew_mixtures(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data of orthonormal directions, mixed by a V whose columns are not orthonormal."""
    X, U, s = _data(rng)
    mixing = np.eye(X.shape[1]) + 0.3 * rng.normal(size=(X.shape[1],) * 2)
    return [{"X": X @ mixing, "U": U, "s": s, "lam": float(rng.uniform(0.5, 3))}]


def several_lambdas(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw data with another lambda for each sensor."""
    X, U, s = _data(rng)
    return [{"X": X, "U": U, "s": s, "lam": rng.uniform(0.5, 3, size=len(X))}]


def _data(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return X (3, 5) with its U (3, 3) and its singular values (3,)."""
    X = rng.normal(size=(3, 5))
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return X, U, s


def _whole(rng: np.random.Generator, *shape: int) -> Array:
    return rng.integers(-2, 3, size=shape).astype(float)


SMALL = {
    "purification_losses": number("lam", 0.5, 1.0, 2.0, 10.0),
    "purifier": purifier,
    "purifier_from_svd": svd,
    "argmax_attention": argmax,
    "dot_mean": moments,
    "dot_variance": moments,
    "scale": number("d", 4, 9, 16, 25),
    "quadratic_features": quadratic,
    "feature_dimension": number("D", 2, 3, 4, 5),
    "gaussian_sigma": number("D", 16, 81, 256),
    "random_features": frequencies,
    "merge": merged,
    "attend_in_blocks": blocks,
    "decode": decoded,
    "cache_bytes": caches,
}
DROPPED = {
    "svd_derivation": {
        "the columns of `U` are not orthonormal, and `X` is still U S V^T": skew_directions,
        "the columns of V are not orthonormal, and `X` is still U S V^T": skew_mixtures,
        "`lam` is an array with a number for each sensor, so that `lam * np.eye(m)` is diagonal": (
            several_lambdas
        ),
    },
}
