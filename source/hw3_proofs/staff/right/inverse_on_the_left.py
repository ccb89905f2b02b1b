"""The inverse on the other side, short derivations, and factors where they can be pulled out."""

import math

import numpy as np
import torch


def purification_losses(lam):
    noise = 2 * (0.01**2 + 0.02**2)
    return [0, lam + lam, noise, lam]


def purifier_derivation():
    return [
        ("A", lambda X, lam: lam * np.identity(X.shape[0]) + X @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: lam * (W + W)),
        ("gradient of the reconstruction loss", lambda X, W: 2 * (W @ X @ X.T - X @ X.T)),
        lambda X, W, lam: (np.linalg.inv(X @ X.T + lam * np.eye(len(X))) @ X @ X.T, W),
    ]


def purifier(X, lam):
    gram = X @ X.T
    return np.linalg.inv(gram + lam * np.eye(len(X))) @ gram


def svd_derivation():
    return [
        ("eigenvalues of the purifier", lambda s, lam: s**2 / (lam + s**2)),
        ("eigenvalues of A^-1", lambda s, lam: (lam + s**2) ** -1),
        ("eigenvalues of X X^T", lambda s: s * s),
    ]


def purifier_from_svd(U, s, lam):
    kept = U[:, : s.size]
    return (kept / (1 + lam / s**2)) @ kept.T


def argmax_attention(q, K, V):
    return V[(q @ K.T).argmax()]


def dot_mean(mu, sigma, d):
    return mu * mu * d


def variance_derivation():
    return [
        ("Var[q.k]", lambda mu, sigma, d: d * sigma**2 * (sigma**2 + 2 * mu**2)),
        ("(E[q.k])^2", lambda mu, d: d * d * mu**4),
        ("E[(q.k)^2]", lambda mu, sigma, d: d * sigma**2 * (sigma**2 + 2 * mu**2) + d**2 * mu**4),
    ]


def dot_variance(mu, sigma, d):
    return d * sigma**2 * (sigma**2 + 2 * mu**2)


def scale(d):
    return d**0.5


def features_derivation():
    def square_of(x, y):
        return sum(a * b for a, b in zip(x, y, strict=True)) ** 2

    return [
        ("linear terms", lambda x, y: 2 * (x * y).sum()),
        ("cross terms", lambda x, y: square_of(x, y) - ((x * y) ** 2).sum()),
        ("squares", lambda x, y: ((x * y) ** 2).sum()),
    ]


def quadratic_features(x):
    products = x[..., :, None] * x[..., None, :]
    return torch.cat([torch.ones_like(x[..., :1]), 2**0.5 * x, products.flatten(-2)], dim=-1)


def feature_dimension(D):
    return 1 + D + D * (D + 1) // 2


def linear_derivation():
    return [
        ("z", lambda phi_K: phi_K.T @ np.ones(len(phi_K))),
        ("S", lambda phi_K, V: (V.T @ phi_K).T),
    ]


def kernel_attention(Q, K, V, phi):
    with_ones = torch.cat([V, torch.ones_like(V[:, :1])], dim=1)
    both = phi(Q) @ (phi(K).T @ with_ones)
    return both[:, :-1] / both[:, -1:]


def softmax_time(N, D, M, C):
    return N * N * (D + M)


def softmax_memory(N, D, M, C):
    return N**2 + 2 * N * D + 2 * N * M


def linear_time(N, D, M, C):
    return 2 * N * C + 2 * N * C * M


def linear_memory(N, D, M, C):
    return N * (D + M) + C * M


def gaussian_derivation():
    return [
        ("factor of k", lambda k: np.exp((k**2).sum() / 2 / len(k) ** 0.5)),
        ("factor of q", lambda q: np.exp((q**2).sum() / 2 / len(q) ** 0.5)),
        ("Gaussian kernel", lambda q, k: np.exp(-((q - k) ** 2).sum() / 2 / len(q) ** 0.5)),
    ]


def gaussian_sigma(D):
    return math.sqrt(math.sqrt(D))


def random_features(x, W):
    angles = x @ W.T
    return torch.cat([angles.cos(), angles.sin()], dim=-1) * len(W) ** -0.5


def sample_frequencies(D_random, D, sigma, rng):
    return rng.normal(scale=1 / sigma, size=(D_random, D))


def merge(m1, l1, o1, m2, l2, o2):
    m = m1 + torch.relu(m2 - m1)
    first, second = torch.exp(m1 - m), torch.exp(m2 - m)
    return [m, first * l1 + second * l2, first * o1 + second * o2]


def cache_bytes(layers, heads, width, tokens, bits):
    return (bits >> 3) * tokens * width * heads * layers * 2
