"""Linear systems are solved, not inverted; a full U keeps zeros for its further columns."""

import math

import numpy as np
import torch


def purification_losses(lam):
    def losses(W):
        X = np.array([[-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02]])
        return [np.linalg.norm(X - W @ X) ** 2, lam * np.linalg.norm(W) ** 2]

    return losses(np.identity(2)) + losses(np.array([[1, 0], [0, 0]]))


def purifier_derivation():
    return [
        lambda X, W, lam: (2 * (W @ X - X) @ X.T, -2 * lam * W),
        ("gradient of the reconstruction loss", lambda X, W: 2 * (W @ X - X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        lambda X, W, lam: ((X - W @ X) @ X.T - lam * W, np.zeros_like(W)),
        lambda X, W, lam: (lam * W, X @ X.T - W @ X @ X.T),
        lambda X, W, lam: (X @ X.T, W @ X @ X.T + lam * W),
        lambda X, W, lam: (X @ X.T, W @ (X @ X.T + lam * np.eye(len(W)))),
        ("A", lambda X, lam: X @ X.T + lam * np.eye(len(X))),
        lambda X, W, lam: (W.T, np.linalg.solve(X @ X.T + lam * np.eye(len(X)), X @ X.T)),
        lambda X, lam: np.linalg.solve(X @ X.T + lam * np.eye(len(X)), X @ X.T).T,
    ]


def purifier(X, lam):
    A = X @ X.T + lam * np.eye(len(X))
    return np.linalg.solve(A.T, X @ X.T).T


def svd_derivation():
    return [
        lambda X, lam: np.linalg.solve(X @ X.T + lam * np.eye(len(X)), X @ X.T).T,
        lambda U, s, lam: np.linalg.solve(
            U @ np.diag(s**2) @ U.T + lam * U @ U.T, U @ np.diag(s**2) @ U.T
        ),
        ("eigenvalues of X X^T", lambda s: s**2),
        lambda U, s, lam: np.linalg.solve(U @ np.diag(s**2 + lam) @ U.T, U @ np.diag(s**2) @ U.T),
        ("eigenvalues of A^-1", lambda s, lam: 1.0 / (lam + s**2)),
        lambda U, s, lam: U @ np.diag(1 / (s**2 + lam)) @ U.T @ U @ np.diag(s**2) @ U.T,
        lambda U, s, lam: U @ np.diag(1 / (s**2 + lam)) @ np.diag(s**2) @ U.T,
        ("eigenvalues of the purifier", lambda s, lam: s**2 * (1.0 / (lam + s**2))),
        lambda U, s, lam: U @ np.diag(s**2 / (s**2 + lam)) @ U.T,
    ]


def purifier_from_svd(U, s, lam):
    padded = np.zeros(U.shape[1])
    padded[: len(s)] = s
    squares = np.diag(padded**2)
    return U @ np.linalg.solve(squares + lam * np.eye(len(squares)), squares) @ U.T


def argmax_attention(q, K, V):
    return np.take(V, np.argmax(np.dot(K, q)), axis=0)


def dot_mean(mu, sigma, d):
    return d * np.square(mu)


def variance_derivation():
    return [
        lambda q, k, mu: (((q * k) - mu**2) ** 2).sum(axis=1),
        lambda q, k, mu, d: (q**2 * k**2).sum(axis=1) - d * mu**4,
        lambda q, k, mu, d: (q**2).mean(axis=1) * (k**2).mean(axis=1) * d - d * mu**4,
        ("E[(q.k)^2]", lambda mu, sigma, d: d * (sigma**2 + mu**2) ** 2 + d * (d - 1) * mu**4),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) ** 2),
        ("Var[q.k]", lambda mu, sigma, d: d * sigma**4 + 2 * d * (sigma * mu) ** 2),
    ]


def dot_variance(mu, sigma, d):
    second_moment = sigma**2 + mu**2
    return d * second_moment**2 + d * (d - 1) * mu**4 - (d * mu**2) ** 2


def scale(d):
    return np.sqrt(d)


def features_derivation():
    return [
        lambda x, y: (x @ y) ** 2 + 2 * (x @ y) + 1,
        ("linear terms", lambda x, y: 2 * (x @ y)),
        ("squares", lambda x, y: np.sum(x**2 * y**2)),
        ("cross terms", lambda x, y: (x @ y) ** 2 - np.sum(x**2 * y**2)),
        lambda x, y: np.sum(x**2 * y**2) + ((x @ y) ** 2 - np.sum(x**2 * y**2)) + 2 * x @ y + 1,
    ]


def quadratic_features(x):
    D = x.shape[-1]
    pieces = [x.new_ones(x.shape[:-1] + (1,)), math.sqrt(2) * x]
    for shift in range(D):  # one diagonal of the table of products after another
        factor = 1.0 if shift == 0 else math.sqrt(2)
        pieces.append(factor * x[..., : D - shift] * x[..., shift:])
    return torch.cat(pieces, dim=-1)


def feature_dimension(D):
    return math.comb(D + 2, 2)


def linear_derivation():
    return [
        lambda phi_Q, phi_K, V: (phi_Q @ phi_K.T @ V) / (phi_Q @ phi_K.T @ np.ones((len(V), 1))),
        lambda phi_Q, phi_K, V: (
            (phi_Q @ (phi_K.T @ V)) / (phi_Q @ (phi_K.T @ np.ones((len(V), 1))))
        ),
        ("S", lambda phi_K, V: phi_K.T @ V),
        ("z", lambda phi_K: phi_K.mean(axis=0) * len(phi_K)),
    ]


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    S, z = phi_K.T @ V, phi_K.sum(dim=0)
    rows = [query @ S / (query @ z) for query in phi_Q]
    return torch.stack(rows)


def softmax_time(N, D, M, C):
    return N**2 * D + N**2 * M


def softmax_memory(N, D, M, C):
    return 4 * N**2 + 2 * N * D + N * M


def linear_time(N, D, M, C):
    return N * C * M + C * M


def linear_memory(N, D, M, C):
    return N * D + N * M + C * M


def gaussian_derivation():
    return [
        lambda q, k: (
            np.exp((q @ q) / (2 * np.sqrt(len(q))) - (q @ q) / (2 * np.sqrt(len(q))))
            * (np.exp(q @ k / np.sqrt(len(q))))
        ),
        lambda q, k: np.exp(((q @ q) - (q - k) @ (q - k) + (k @ k)) / (2 * np.sqrt(len(q)))),
        ("factor of q", lambda q: np.exp(q @ q / (2 * np.sqrt(len(q))))),
        ("factor of k", lambda k: np.exp(k @ k / (2 * np.sqrt(len(k))))),
        ("Gaussian kernel", lambda q, k: np.exp(-(q - k) @ (q - k) / (2 * np.sqrt(len(k))))),
    ]


def gaussian_sigma(D):
    return D ** (1 / 4)


def random_features(x, W):
    scaled = []
    for function in (torch.sin, torch.cos):
        scaled.append(function(x @ W.mT) / math.sqrt(W.shape[0]))
    return torch.cat(scaled, dim=-1)


def sample_frequencies(D_random, D, sigma, rng):
    W = np.empty((D_random, D))
    for row in W:
        row[:] = rng.normal(0.0, 1.0 / sigma, size=D)
    return W


def merge(m1, l1, o1, m2, l2, o2):
    m = torch.where(m1 >= m2, m1, m2)
    factors = torch.softmax(torch.stack([m1, m2]), dim=0)  # both divided by their sum
    factors = factors / factors.amax(dim=0)
    return m, factors[0] * l1 + factors[1] * l2, factors[0] * o1 + factors[1] * o2


def cache_bytes(layers, heads, width, tokens, bits):
    one_layer = [heads * width * tokens * bits, heads * width * tokens * bits]
    return layers * sum(one_layer) // 8
