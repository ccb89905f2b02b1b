"""A triangular root of A; sums that grow step by step, key after key."""

import math

import numpy as np
import torch


def purification_losses(lam):
    return 0, 2 * lam, 1e-3, lam


def purifier_derivation():
    def root(X, lam):
        return np.linalg.cholesky(X @ X.T + lam * np.eye(len(X)))

    return [
        ("A", lambda X, lam: root(X, lam) @ root(X, lam).T),
        lambda X, W, lam: (W @ root(X, lam) @ root(X, lam).T, X @ X.T),
        lambda X, W, lam: (root(X, lam) @ root(X, lam).T @ W.T, X @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: lam * W + lam * W),
        (
            "gradient of the reconstruction loss",
            lambda X, W: sum(-2 * np.outer(x - W @ x, x) for x in X.T),
        ),
    ]


def purifier(X, lam):
    gram = torch.tensor(X @ X.T)
    root = torch.linalg.cholesky(gram + lam * torch.eye(len(X), dtype=gram.dtype))
    return torch.cholesky_solve(gram, root).numpy()


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: np.diag(np.diag(s) @ np.diag(s))),
        ("eigenvalues of A^-1", lambda s, lam: np.diag(np.linalg.inv(np.diag(s**2 + lam)))),
        ("eigenvalues of the purifier", lambda s, lam: (np.sqrt(s**2 + lam) ** -1 * s) ** 2),
    ]


def purifier_from_svd(U, s, lam):
    W = np.zeros((len(U), len(U)))
    for column, x in zip(U.T, s, strict=False):
        W = W + np.outer(column, column) * x**2 / (x**2 + lam)
    return W


def argmax_attention(q, K, V):
    best = 0
    for j in range(1, len(K)):
        if q @ K[j] > q @ K[best]:
            best = j
    return V[best].copy()


def dot_mean(mu, sigma, d):
    return np.cumsum(np.full(d, mu**2))[-1]


def variance_derivation():
    return [
        lambda q, k: (q * k).sum(axis=1) * ((q * k).sum(axis=1) - (q * k).sum(axis=1).mean()),
        lambda q, k, mu, d: (q * k).sum(axis=1) * ((q * k).sum(axis=1) - d * mu**2),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) * (d * mu**2)),
        ("E[(q.k)^2]", lambda mu, sigma, d: d * ((sigma**2 + mu**2) ** 2 + (d - 1) * mu**4)),
        lambda mu, sigma, d: d * ((sigma**2 + mu**2) ** 2 + (d - 1) * mu**4) - d**2 * mu**4,
        lambda mu, sigma, d: d * ((sigma**2 + mu**2) ** 2 - mu**4),
        lambda mu, sigma, d: d * (sigma**2 + mu**2 - mu**2) * (sigma**2 + mu**2 + mu**2),
        ("Var[q.k]", lambda mu, sigma, d: d * sigma**2 * (sigma**2 + mu**2 + mu**2)),
    ]


def dot_variance(mu, sigma, d):
    variance = 0.0
    for _ in range(d):
        variance += sigma**4 + 2 * mu**2 * sigma**2
    return variance


def scale(d):
    low, high = 0.0, float(d)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**2 < d else (low, middle)
    return high


def features_derivation():
    def growing(x, y):
        """Return the three sums, in which each coordinate meets those before it."""
        squares = cross = before = 0.0
        for term in x * y:
            squares += term**2
            cross += 2 * term * before
            before += term
        return squares, cross, 2 * before

    return [
        lambda x, y: 1 + growing(x, y)[0] + growing(x, y)[1] + growing(x, y)[2],
        ("linear terms", lambda x, y: growing(x, y)[2]),
        ("squares", lambda x, y: growing(x, y)[0]),
        ("cross terms", lambda x, y: growing(x, y)[1]),
    ]


def quadratic_features(x):
    one = torch.ones(*x.shape[:-1], 1, dtype=x.dtype)
    features = torch.cat([one, math.sqrt(2) * x, x * x], dim=-1)
    for i in range(x.shape[-1] - 1):
        further = math.sqrt(2) * x[..., i : i + 1] * x[..., i + 1 :]
        features = torch.cat([features, further], dim=-1)
    return features


def feature_dimension(D):
    return sum(range(1, D + 2))


def linear_derivation():
    return [
        ("S", lambda phi_K, V: np.cumsum(phi_K[:, :, None] * V[:, None, :], axis=0)[-1]),
        ("z", lambda phi_K: np.cumsum(phi_K, axis=0)[-1]),
    ]


def kernel_attention(Q, K, V, phi):
    S, z = 0, 0
    for key, value in zip(phi(K), V, strict=True):
        S = S + torch.outer(key, value)
        z = z + key
    phi_Q = phi(Q)
    return phi_Q @ S / (phi_Q @ z).reshape(-1, 1)


def softmax_time(N, D, M, C):
    return 2 * N**2 * D + 2 * N**2 * M + 3 * N**2


def softmax_memory(N, D, M, C):
    return 2 * N * max(N, D, M)


def linear_time(N, D, M, C):
    return 2 * N * (C * M + C)


def linear_memory(N, D, M, C):
    return 2 * N * D + C * (M + 1) + 2 * N * M


def gaussian_derivation():
    return [
        ("Gaussian kernel", lambda q, k: np.exp(sum(-((q - k) ** 2)) / np.sqrt(len(q)) / 2)),
        ("factor of k", lambda k: np.exp(sum(k**2) / np.sqrt(len(k)) / 2)),
        ("factor of q", lambda q: np.exp(sum(q**2) / np.sqrt(len(q)) / 2)),
        lambda q, k: np.exp((sum(q**2) + sum(k**2) - sum((q - k) ** 2)) / np.sqrt(len(q)) / 2),
    ]


def gaussian_sigma(D):
    return np.sqrt(np.linalg.norm(np.ones(D)))


def random_features(x, W):
    root = math.sqrt(len(W))
    return torch.cat([(x @ W.T).sin() / root, (x @ (-W).T).cos() / root], dim=-1)


def sample_frequencies(D_random, D, sigma, rng):
    root = np.linalg.cholesky(np.eye(D) / sigma**2)
    return np.array([root @ rng.standard_normal(D) for _ in range(D_random)])


def merge(m1, l1, o1, m2, l2, o2):
    m, l, o = m1.clone(), l1.clone(), o1.clone()  # noqa: E741
    larger = torch.maximum(m, m2)
    shrunk = torch.exp(m - larger)
    l = shrunk * l  # noqa: E741
    o = shrunk * o
    shrunk = torch.exp(m2 - larger)
    l = l + shrunk * l2  # noqa: E741
    o = o + shrunk * o2
    return larger, l, o


def cache_bytes(layers, heads, width, tokens, bits):
    bytes_a_token = 0
    for _ in range(layers):
        bytes_a_token += heads * width * bits // 8  # keys
        bytes_a_token += heads * width * bits // 8  # values
    return bytes_a_token * tokens
