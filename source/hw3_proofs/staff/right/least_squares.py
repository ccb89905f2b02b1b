"""Each row of W is a least-squares problem of its own, with sqrt(lam) I as further data."""

import math
from itertools import combinations

import numpy as np
import torch


def purification_losses(lam):
    rec_P = np.linalg.norm([0.02, -0.01, 0.01, -0.02]) ** 2
    return np.array([0.0, 2.0 * lam, rec_P, 1.0 * lam])


def purifier_derivation():
    # Row by row, ||x_a - w_a X||^2 + lam ||w_a||^2.
    def rows(X, W):
        return np.stack([-2 * (x - w @ X) @ X.T for x, w in zip(X, W, strict=True)])

    def A(X, lam):
        inputs = np.hstack([X, lam**0.5 * np.eye(len(X))])
        return inputs @ inputs.T

    return [
        ("gradient of the reconstruction loss", rows),
        ("gradient of the regularisation loss", lambda W, lam: np.stack([2 * lam * w for w in W])),
        lambda X, W, lam: (rows(X, W) + 2 * lam * W, 0.0),
        lambda X, W, lam: (rows(X, W)[0] / 2, -lam * W[0]),
        lambda X, W, lam: (W[0] @ (X @ X.T + lam * np.eye(len(X))), X[0] @ X.T),
        ("A", A),
    ]


def purifier(X, lam):
    m = len(X)
    inputs = np.vstack([X.T, math.sqrt(lam) * np.eye(m)])
    targets = np.vstack([X.T, np.zeros((m, m))])
    return np.linalg.lstsq(inputs, targets, rcond=None)[0].T


def svd_derivation():
    return [
        ("eigenvalues of the purifier", lambda s, lam: (s / np.hypot(s, np.sqrt(lam))) ** 2),
        ("eigenvalues of A^-1", lambda s, lam: np.hypot(s, np.sqrt(lam)) ** -2),
        ("eigenvalues of X X^T", lambda s: s**2),
        lambda U, s, lam: U @ ((s / np.hypot(s, np.sqrt(lam)))[:, None] ** 2 * U.T),
    ]


def purifier_from_svd(U, s, lam):
    root = U[:, : len(s)] * (s / np.sqrt(s**2 + lam))
    return root @ root.T


def argmax_attention(q, K, V):
    order = np.argsort(-(K @ q))
    return V[order][0]


def dot_mean(mu, sigma, d):
    return mu**2 * d


def variance_derivation():
    return [
        lambda q, k, mu: ((q - mu) * (k - mu) + mu * (q - mu) + mu * (k - mu)).sum(axis=1) ** 2,
        lambda sigma, mu, d: d * (sigma**4 + mu**2 * sigma**2 + mu**2 * sigma**2),
        ("Var[q.k]", lambda sigma, mu, d: d * (sigma**4 + mu**2 * sigma**2 + mu**2 * sigma**2)),
        ("(E[q.k])^2", lambda d, mu: d**2 * mu**4),
        (
            "E[(q.k)^2]",
            lambda sigma, mu, d: d * (sigma**4 + 2 * mu**2 * sigma**2) + (d * mu**2) ** 2,
        ),
    ]


def dot_variance(mu, sigma, d):
    return d * (sigma**4 + mu**2 * sigma**2 + mu**2 * sigma**2)


def scale(d):
    return math.exp(0.5 * math.log(d))


def features_derivation():
    def cross(x, y):
        pairs = combinations(x * y, 2)
        return 2 * sum(a * b for a, b in pairs)

    return [
        ("cross terms", cross),
        ("linear terms", lambda x, y: 2 * np.vdot(x, y)),
        ("squares", lambda x, y: np.vdot(x**2, y**2)),
        lambda x, y: np.vdot(x**2, y**2) + 2 * np.vdot(x, y) + 1 + cross(x, y),
        lambda x, y: 1 + cross(x, y) + 2 * np.vdot(x, y) + np.vdot(x**2, y**2),
    ]


def quadratic_features(x):
    root = 2**0.5
    columns = x.unbind(-1)
    cross = [root * a * b for a, b in combinations(columns, 2)]
    linear = [root * a for a in columns]
    squares = [-(a**2) for a in columns]
    return torch.stack([*cross, *squares, *linear, -torch.ones_like(columns[0])], dim=-1)


def feature_dimension(D):
    return 1 + D + D + len(list(combinations(range(D), 2)))


def linear_derivation():
    return [
        ("S", lambda phi_K, V: (phi_K[:, :, None] * V[:, None, :]).sum(axis=0)),
        lambda phi_Q, phi_K, V: (
            (phi_Q[:, :, None] * (phi_K.T @ V)[None]).sum(axis=1)
            / (phi_Q * phi_K.sum(axis=0)).sum(axis=1, keepdims=True)
        ),
        ("z", lambda phi_K: np.add.reduce(phi_K)),
    ]


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    S = (phi_K[:, :, None] * V[:, None, :]).sum(dim=0)  # (C, M), from N C M products
    return (phi_Q @ S) / (phi_Q * phi_K.sum(dim=0)).sum(dim=1, keepdim=True)


def softmax_time(N, D, M, C):
    return N * (N * D + N * M + N)


def softmax_memory(N, D, M, C):
    return 2 * max(N**2, N * max(D, M))


def linear_time(N, D, M, C):
    return N * C * (M + 1)


def linear_memory(N, D, M, C):
    return 3 * (N * M + C * M + N * C)


def gaussian_derivation():
    return [
        ("factor of q", lambda q: np.prod(np.exp(q**2 / (2 * len(q) ** 0.5)))),
        ("factor of k", lambda k: np.prod(np.exp(k**2 / (2 * len(k) ** 0.5)))),
        ("Gaussian kernel", lambda q, k: np.prod(np.exp(-((q - k) ** 2) / (2 * len(q) ** 0.5)))),
        lambda q, k: np.prod(np.exp((q**2 - (q - k) ** 2 + k**2) / (2 * len(q) ** 0.5))),
    ]


def gaussian_sigma(D):
    variance = D**0.5
    return variance**0.5


def random_features(x, W):
    angles = x @ W.T
    scaled = torch.full_like(angles, 1 / len(W)).sqrt()
    return torch.cat([scaled * angles.sin(), -scaled * angles.cos()], dim=-1)


def sample_frequencies(D_random, D, sigma, rng):
    return np.column_stack([rng.normal(size=D_random) / sigma for _ in range(D)])


def merge(m1, l1, o1, m2, l2, o2):
    m = torch.maximum(m1, m2)
    # The share of the first block comes from both logarithms, as in logaddexp.
    l = torch.exp(torch.logaddexp(m1 + torch.log(l1), m2 + torch.log(l2)) - m)  # noqa: E741
    o = sum(torch.exp(some - m) * part for some, part in ((m1, o1), (m2, o2)))
    return m, l, o


def cache_bytes(layers, heads, width, tokens, bits):
    return math.prod((layers, heads, width, tokens)) * 2 * (bits / 8)
