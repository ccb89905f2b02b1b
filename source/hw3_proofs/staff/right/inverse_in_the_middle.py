"""X (X^T X + lam I)^-1 X^T, with a column a measurement, and shapes looked up rather than len."""

from itertools import combinations_with_replacement

import numpy as np
import torch


def purification_losses(lam):
    dropped = SENSORS[1]
    return 0.0, lam * 2, dropped @ dropped, lam * 1


def purifier_derivation():
    return [
        lambda X, W, lam: (-2 * X @ X.T + 2 * W @ X @ X.T + 2 * lam * W, 0),
        ("gradient of the reconstruction loss", lambda X, W: -2 * X @ X.T + 2 * W @ X @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: W * lam * 2.0),
        # Both sides divided by 2, then transposed: A is symmetric.
        lambda X, W, lam: (W @ X @ X.T + lam * W - X @ X.T, 0),
        lambda X, W, lam: (X @ X.T @ W.T + lam * W.T, X @ X.T),
        ("A", lambda X, lam: X @ X.T + np.diag([lam] * len(X))),
        lambda X, lam: X @ np.linalg.inv(X.T @ X + lam * np.eye(X.shape[1])) @ X.T,
    ]


def purifier(X, lam):
    _, n = X.shape
    return X @ np.linalg.inv(X.T @ X + lam * np.eye(n)) @ X.T


def svd_derivation():
    return [
        lambda X, lam: X @ np.linalg.inv(X.T @ X + lam * np.eye(X.shape[1])) @ X.T,
        ("eigenvalues of X X^T", lambda s: np.square(s)),
        ("eigenvalues of A^-1", lambda s, lam: np.reciprocal(np.square(s) + lam)),
        ("eigenvalues of the purifier", lambda s, lam: 1 - lam / (np.square(s) + lam)),
        lambda U, s, lam: np.eye(len(U)) - U @ np.diag(lam / (s**2 + lam)) @ U.T,
    ]


def purifier_from_svd(U, s, lam):
    thin = U[:, : s.shape[0]]
    return thin @ np.diag(s**2 / (s**2 + lam)) @ thin.T


def argmax_attention(q, K, V):
    scores = np.array([np.dot(key, q) for key in K])
    return V[scores.argsort()[-1]]


def dot_mean(mu, sigma, d):
    return np.full(d, mu) @ np.full(d, mu)


def variance_derivation():
    return [
        lambda q, k, mu, d: (q * k).sum(axis=1) ** 2 - (d * mu**2) ** 2,
        ("E[(q.k)^2]", lambda mu, sigma, d: d * sigma**4 + 2 * d * mu**2 * sigma**2 + d**2 * mu**4),
        ("(E[q.k])^2", lambda mu, sigma, d: np.square(d * mu**2) + 0 * sigma),
        ("Var[q.k]", lambda mu, sigma, d: d * sigma**4 + 2 * d * mu**2 * sigma**2),
        lambda mu, sigma, d: d * sigma**4 + 2 * d * mu**2 * sigma**2,
    ]


def dot_variance(mu, sigma, d):
    return d * ((sigma**2 + mu**2) ** 2 - mu**4)


def scale(d):
    return np.linalg.norm(np.ones(d))


def features_derivation():
    return [
        lambda x, y: (1 + x @ y) * (1 + x @ y),
        lambda x, y: 1 + 2 * x @ y + np.outer(x, x).ravel() @ np.outer(y, y).ravel(),
        ("squares", lambda x, y: np.diag(np.outer(x, x)) @ np.diag(np.outer(y, y))),
        ("cross terms", lambda x, y: 2 * np.triu(np.outer(x * y, x * y), k=1).sum()),
        ("linear terms", lambda x, y: x @ y + y @ x),
    ]


def quadratic_features(x):
    longer = torch.cat([torch.ones_like(x[..., :1]), x], dim=-1)
    pairs = combinations_with_replacement(range(longer.shape[-1]), 2)
    return torch.stack(
        [(1.0 if i == j else 2.0) ** 0.5 * longer[..., i] * longer[..., j] for i, j in pairs],
        dim=-1,
    )


def feature_dimension(D):
    return len(list(combinations_with_replacement(range(D + 1), 2)))


def linear_derivation():
    return [
        lambda phi_Q, phi_K, V: (((phi_Q @ phi_K.T) @ V).T / (phi_Q @ phi_K.T @ np.ones(len(V)))).T,
        lambda phi_Q, phi_K, V: ((phi_Q @ phi_K.T @ V).T / (phi_Q @ phi_K.sum(axis=0))).T,
        ("S", lambda phi_K, V: sum(np.outer(k, v) for k, v in zip(phi_K, V, strict=True))),
        ("z", lambda phi_K: np.sum(phi_K, axis=0)),
    ]


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    weights_left = phi_Q / (phi_Q * phi_K.sum(dim=0)).sum(dim=1, keepdim=True)
    return weights_left @ torch.matmul(phi_K.transpose(0, 1), V)


def softmax_time(N, D, M, C):
    return max(D * N**2, M * N**2)


def softmax_memory(N, D, M, C):
    return max(N * D, N * N, N * M)


def linear_time(N, D, M, C):
    return C * M * N


def linear_memory(N, D, M, C):
    return max(N * C, C * M, N * M)


def gaussian_derivation():
    return [
        lambda q, k: np.exp((q @ q - (q - k) @ (q - k) + k @ k) / (2 * np.sqrt(len(k)))),
        ("factor of q", lambda q: np.exp(0.5 * np.linalg.norm(q) ** 2 / len(q) ** 0.5)),
        (
            "Gaussian kernel",
            lambda q, k: np.exp(-0.5 * np.linalg.norm(q - k) ** 2 / len(q) ** 0.5),
        ),
        ("factor of k", lambda k: np.exp(0.5 * np.linalg.norm(k) ** 2 / len(k) ** 0.5)),
    ]


def gaussian_sigma(D):
    return np.power(D, 1 / 4)


def random_features(x, W):
    angles = torch.matmul(x, W.transpose(0, 1))
    both = torch.stack([torch.sin(angles), torch.cos(angles)], dim=-1)
    return both.flatten(-2) / W.shape[0] ** 0.5


def sample_frequencies(D_random, D, sigma, rng):
    return rng.multivariate_normal(np.zeros(D), np.eye(D) / sigma**2, size=D_random)


def merge(m1, l1, o1, m2, l2, o2):
    both1, both2 = torch.cat([l1, o1], dim=-1), torch.cat([l2, o2], dim=-1)
    m = torch.cat([m1, m2], dim=-1).amax(dim=-1, keepdim=True)
    both = both1 * (m1 - m).exp() + both2 * (m2 - m).exp()
    return m, both[..., : l1.shape[-1]], both[..., l1.shape[-1] :]


def cache_bytes(layers, heads, width, tokens, bits):
    numbers = layers * heads * width * tokens
    return numbers * bits / 4
