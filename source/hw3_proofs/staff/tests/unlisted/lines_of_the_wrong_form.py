"""Lines that are no lines, each beside a waypoint that is wrong or missing."""

import numpy as np

FAILS = (
    "purifier_derivation",
    "svd_derivation",
    "variance_derivation",
    "features_derivation",
    "linear_derivation",
)
WORDS = {
    "purifier_derivation": "`A`: no line bears this name",
    "svd_derivation": "there is no equation in this derivation",
    "variance_derivation": "asks for q or k, so it should return one value for each row",
    "features_derivation": "`cross terms`: no line bears this name",
    "linear_derivation": "at most 60 are read",
}


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        (lambda X, W, lam: W @ (X @ X.T + lam * np.eye(len(X))), lambda X: X @ X.T),
    ]


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: s**2),
        lambda U, s, lam: (U * (s**2 + lam) @ U.T, U * s**2 @ U.T + lam * np.eye(len(U))),
        ("eigenvalues of A^-1", lambda s, lam: s**2 + lam),
        ("eigenvalues of the purifier", lambda s, lam: s**2 / (s**2 + lam)),
    ]


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: d * (sigma**2 + mu**2) ** 2),
        lambda q, k: (q * k).sum(axis=1).var(),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) ** 2),
        ("Var[q.k]", lambda mu, sigma, d: d * (sigma**4 + 2 * mu**2 * sigma**2)),
    ]


def features_derivation():
    return [
        lambda x, y: (x @ y + 1) ** 2 == (x @ y) ** 2 + 2 * x @ y + 1,
        ("squares", lambda x, y: (x**2) @ (y**2)),
        ("linear terms", lambda x, y: 2 * x @ y),
    ]


def linear_derivation():
    return [
        ("S", lambda phi_K, V: phi_K.T @ V),
        ("z", lambda phi_K: phi_K.sum(axis=0)),
        *[lambda phi_Q, phi_K, V: (phi_Q @ phi_K.T) @ V] * 60,
    ]
