"""Many lines that say the same, with the first line under every waypoint's name."""

import numpy as np

FAILS = ("svd_derivation", "variance_derivation", "features_derivation", "gaussian_derivation")
NUDGE = "Which of your lines differs from the line before it?"
EXPLANATION = (
    "Every line repeats one value, and so do the waypoints. Each waypoint has a value of its own."
)


def svd_derivation():
    def whole(s, lam):
        return s**2 / (s**2 + lam)

    def matrix(U, s, lam):
        return U * whole(s, lam) @ U.T

    return [
        *[matrix] * 8,
        ("eigenvalues of X X^T", lambda s: whole(s, 0.001)),
        ("eigenvalues of A^-1", whole),
        ("eigenvalues of the purifier", whole),
        *[matrix] * 8,
    ]


def variance_derivation():
    def variance(mu, sigma, d):
        return d * (sigma**4 + 2 * mu**2 * sigma**2)

    names = ("E[(q.k)^2]", "(E[q.k])^2", "Var[q.k]")
    return [*[variance] * 10, *[(name, variance) for name in names], *[variance] * 10]


def features_derivation():
    def kernel(x, y):
        return (x @ y + 1) ** 2

    names = ("squares", "cross terms", "linear terms")
    return [*[kernel] * 10, *[(name, kernel) for name in names], *[kernel] * 10]


def gaussian_derivation():
    def similarity(q, k):
        return np.exp(q @ k / np.sqrt(len(q)))

    return [
        *[similarity] * 10,
        ("factor of q", lambda q: 1.0),
        ("Gaussian kernel", similarity),
        ("factor of k", lambda k: 1.0),
        *[similarity] * 10,
    ]
