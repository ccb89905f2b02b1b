"""What is known of the lines of derivations. Waypoints are named in the notebook."""

from collections.abc import Callable

import numpy as np

from autograder.kit import Array, Derivation

from . import reference


def _squares(x: Array, y: Array) -> Array:
    return np.array(sum(x[i] ** 2 * y[i] ** 2 for i in range(len(x))))


def _cross(x: Array, y: Array) -> Array:
    pairs = [(i, j) for i in range(len(x)) for j in range(len(x)) if i != j]
    return np.array(sum(x[i] * y[i] * x[j] * y[j] for i, j in pairs))


def softmax_like(phi_Q: Array, phi_K: Array, V: Array) -> Array:
    """Return attention with all pairs of features, (N, M)."""
    similarities = phi_Q @ phi_K.T
    rows: Array = similarities @ V / similarities.sum(axis=1, keepdims=True)
    return rows


def _gaussian(D: int, squared_distance: float) -> Array:
    return np.array(np.exp(-squared_distance / (2 * np.sqrt(D))))


GRADIENTS = Derivation(
    waypoints={
        "gradient of the reconstruction loss": lambda X, W, **_: -2 * (X - W @ X) @ X.T,
        "gradient of the regularisation loss": lambda W, lam, **_: 2 * lam * W,
        "A": lambda X, lam, **_: X @ X.T + lam * np.eye(len(X)),
    },
    first=None,
    result="purifier",
    right_result=lambda W_minimum, **_: W_minimum,
)
EIGENVALUES = Derivation(
    waypoints={
        "eigenvalues of X X^T": lambda s, **_: s**2,
        "eigenvalues of A^-1": lambda s, lam, **_: 1 / (s**2 + lam),
        "eigenvalues of the purifier": lambda s, lam, **_: s**2 / (s**2 + lam),
    },
    first=lambda X, lam, **_: reference.purifier(X, lam)["the purifier"],
    result="purifier_from_svd",
    right_result=lambda U, s, lam, **_: reference.purifier_from_svd(U, s, lam)["the purifier"],
)
MOMENTS = Derivation(
    waypoints={
        "E[(q.k)^2]": lambda mu, sigma, d, **_: np.array(
            d * (sigma**2 + mu**2) ** 2 + d * (d - 1) * mu**4
        ),
        "(E[q.k])^2": lambda mu, d, **_: np.array(d**2 * mu**4),
        "Var[q.k]": lambda mu, sigma, d, **_: reference.dot_variance(mu, sigma, d)["the variance"],
    },
    first=lambda mu, sigma, d, **_: reference.dot_variance(mu, sigma, d)["the variance"],
    result="dot_variance",
    right_result=lambda mu, sigma, d, **_: reference.dot_variance(mu, sigma, d)["the variance"],
)
TERMS = Derivation(
    waypoints={
        "squares": _squares,
        "cross terms": _cross,
        "linear terms": lambda x, y: np.array(2 * x @ y),
    },
    first=lambda x, y: np.array((x @ y + 1) ** 2),
    result="quadratic_features",
    right_result=lambda x, y: np.array((x @ y + 1) ** 2),
)
SUMS = Derivation(
    waypoints={
        "S": lambda phi_K, V, **_: np.sum(
            [np.outer(*pair) for pair in zip(phi_K, V, strict=True)], axis=0
        ),
        "z": lambda phi_K, **_: phi_K.sum(axis=0),
    },
    first=softmax_like,
    result="kernel_attention",
    right_result=softmax_like,
)
FACTORS = Derivation(
    waypoints={
        "factor of q": lambda q, **_: 1 / _gaussian(len(q), q @ q),
        "Gaussian kernel": lambda q, k: _gaussian(len(q), (q - k) @ (q - k)),
        "factor of k": lambda k, **_: 1 / _gaussian(len(k), k @ k),
    },
    first=lambda q, k: np.array(np.exp(q @ k / np.sqrt(len(q)))),
    result="gaussian_sigma",
    right_result=lambda q, k: np.array(np.exp(q @ k / np.sqrt(len(q)))),
)


def _rescaled(name: str) -> Callable[..., Array]:
    """Return what adds up the denominators, or the numerators, of two blocks."""

    def total(m1: Array, m2: Array, **given: Array) -> Array:
        largest = max(m1, m2)
        return np.array(
            sum(np.exp(m - largest) * given[f"{name}{n}"] for n, m in ((1, m1), (2, m2)))
        )

    return total


def _of_all_scores(s1: Array, V1: Array, s2: Array, V2: Array, **__: Array) -> Array:
    scores, values = np.concatenate([s1, s2]), np.concatenate([V1, V2])
    _, below, above = reference.block_of(scores, values)
    output: Array = above / below
    return output


BLOCKS = Derivation(
    waypoints={
        "new maximum": lambda m1, m2, **_: np.array(max(m1, m2)),
        "rescaled denominator": _rescaled("l"),
        "rescaled numerator": _rescaled("o"),
    },
    first=_of_all_scores,
    result="merge",
    right_result=_of_all_scores,
)
