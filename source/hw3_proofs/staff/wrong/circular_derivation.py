"""Waypoints are computed with the very function that is to be derived."""

import math

import numpy as np
import torch

FAILS = (
    "purifier_derivation",
    "svd_derivation",
    "variance_derivation",
    "features_derivation",
    "gaussian_derivation",
    "merge_derivation",
)
NUDGE = "Could you have written these lines before you knew the result?"
EXPLANATION = "The derivation uses its own result: a waypoint calls the function that is to be derived. Write each waypoint as a formula of the quantities that it may use."


def purifier_derivation():
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        ("A", lambda X, lam: np.linalg.pinv(purifier(X, lam)) @ X @ X.T),
    ]


def svd_derivation():
    def factors(s, lam):
        return np.diag(purifier_from_svd(np.eye(len(s)), s, lam))

    return [
        ("eigenvalues of X X^T", lambda s: s**2),
        ("eigenvalues of A^-1", lambda s, lam: (1 - factors(s, lam)) / lam),
        ("eigenvalues of the purifier", factors),
    ]


def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: dot_variance(mu, sigma, d) + d**2 * mu**4),
        ("(E[q.k])^2", lambda mu, d: d**2 * mu**4),
        ("Var[q.k]", lambda mu, sigma, d: dot_variance(mu, sigma, d)),
    ]


def features_derivation():
    def product(x, y):
        return quadratic_features(torch.tensor(x)) @ quadratic_features(torch.tensor(y))

    return [
        ("squares", lambda x, y: (x**2) @ (y**2)),
        ("cross terms", lambda x, y: product(x, y) - (x**2) @ (y**2) - 2 * x @ y - 1),
        ("linear terms", lambda x, y: 2 * x @ y),
    ]


def gaussian_derivation():
    def half(x):
        return x @ x / (2 * gaussian_sigma(len(x)) ** 2)

    return [
        ("factor of q", lambda q: math.exp(half(q))),
        ("Gaussian kernel", lambda q, k: math.exp(-half(q - k))),
        ("factor of k", lambda k: math.exp(half(k))),
    ]


def merge_derivation():
    def merged(m1, m2, l1=1.0, l2=1.0, o1=1.0, o2=1.0):
        parts = (np.atleast_2d(part) for part in (m1, l1, o1, m2, l2, o2))
        return [part.numpy()[0] for part in merge(*map(torch.tensor, parts))]

    return [
        ("new maximum", lambda m1, m2: merged(m1, m2)[0]),
        ("rescaled denominator", lambda m1, l1, m2, l2: merged(m1, m2, l1=l1, l2=l2)[1]),
        ("rescaled numerator", lambda m1, o1, m2, o2: merged(m1, m2, o1=o1, o2=o2)[2]),
    ]
