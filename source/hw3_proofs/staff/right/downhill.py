"""The purifier by gradient descent, until nothing moves; other values by their definitions."""

import math

import numpy as np
import torch


def purification_losses(lam):
    X = np.array([[-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02]])
    P = np.array([[1.0, 0.0], [0.0, 0.0]])
    rec_P = np.trace((X - P @ X) @ (X - P @ X).T)
    return 0.0, lam * np.trace(np.eye(2)), rec_P, lam * np.trace(P @ P.T)


def purifier_derivation():
    def reconstruction(X, W):
        return -2 * (X - W @ X) @ X.T

    def step(X, W, lam):
        size = 1 / (2 * np.linalg.norm(X, 2) ** 2 + 2 * lam)
        return W - size * (reconstruction(X, W) + 2 * lam * W)

    return [
        ("gradient of the reconstruction loss", reconstruction),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        lambda X, W, lam: (step(X, W, lam), W),  # at the minimum, a step downhill goes nowhere
        lambda X, W, lam: (W @ X @ X.T, X @ X.T - lam * W),
        ("A", lambda X, lam: X @ X.T + lam * np.eye(len(X))),
    ]


def purifier(X, lam):
    W = np.zeros((len(X), len(X)))
    size = 1 / (np.linalg.norm(X, 2) ** 2 + lam)
    for _ in range(3000):
        W -= size * ((W @ X - X) @ X.T + lam * W)
    return W


def svd_derivation():
    def series(s, lam):
        """Return 1 - sum of what is left over: s^2 times a geometric series for 1 / (s^2 + lam)."""
        return s**2 * (1 / (s**2 + lam))

    return [
        lambda X, U, lam: U @ U.T @ X @ X.T @ np.linalg.inv(X @ X.T + lam * U @ U.T),
        ("eigenvalues of X X^T", lambda s: s**2),
        lambda U, s, lam: (U * s**2) @ U.T @ np.linalg.inv((U * s**2) @ U.T + lam * U @ U.T),
        ("eigenvalues of A^-1", lambda s, lam: 1 / (s**2 + lam)),
        lambda U, s, lam: (U * series(s, lam)) @ U.T,
        ("eigenvalues of the purifier", series),
    ]


def purifier_from_svd(U, s, lam):
    factors = np.zeros(len(s))
    for _ in range(3000):  # one number a direction goes downhill
        factors -= ((factors - 1) * s**2 + lam * factors) / (np.max(s) ** 2 + lam)
    U = U[:, : len(s)]
    return U @ (factors[:, None] * U.T)


def argmax_attention(q, K, V):
    return max(zip(K, V, strict=True), key=lambda pair: float(pair[0] @ q))[1]


def dot_mean(mu, sigma, d):
    return math.fsum(mu * mu for _ in range(d))


def variance_derivation():
    def of_one(mu, sigma):
        return (mu**2 + sigma**2) * (mu**2 + sigma**2) - mu**2 * mu**2

    return [
        lambda q, k: q.shape[1] * (q[:, 0] * k[:, 0] - (q[:, 0] * k[:, 0]).mean()) ** 2,
        lambda mu, sigma, d: d * of_one(mu, sigma),
        ("Var[q.k]", lambda mu, sigma, d: d * of_one(mu, sigma)),
        ("E[(q.k)^2]", lambda mu, sigma, d: d * of_one(mu, sigma) + (d * mu**2) ** 2),
        ("(E[q.k])^2", lambda mu, d: (d * mu**2) ** 2),
        lambda mu, sigma, d: d * (sigma**4 + 2 * mu**2 * sigma**2),
    ]


def dot_variance(mu, sigma, d):
    # Two points, mu - sigma and mu + sigma, have this mean and this deviation.
    products = np.outer([mu - sigma, mu + sigma], [mu - sigma, mu + sigma])
    return d * products.var()


def scale(d):
    guess = float(d)
    for _ in range(60):
        guess = (guess + d / guess) / 2
    return guess


def features_derivation():
    def value(x, y):
        return (x @ y + 1) ** 2

    def linear(x, y):
        return (value(x, y) - value(-x, y)) / 2  # what changes its sign with x

    def squares(x, y):
        alone = np.diag(x)
        return sum((value(one, y) + value(-one, y)) / 2 - 1 for one in alone)

    return [
        ("linear terms", linear),
        ("squares", squares),
        ("cross terms", lambda x, y: value(x, y) - linear(x, y) - squares(x, y) - 1),
    ]


def quadratic_features(x):
    D = x.shape[-1]
    where = torch.tensor([(i, j) for i in range(D) for j in range(i)], dtype=torch.long)
    i, j = where.reshape(-1, 2).T
    cross = x.index_select(-1, i) * x.index_select(-1, j)
    both = torch.cat([cross, x, torch.zeros_like(x[..., :1]) + 2**-0.5], dim=-1)
    return torch.cat([2**0.5 * both, x.pow(2)], dim=-1)


def feature_dimension(D):
    monomials = {tuple(sorted((i, j))) for i in range(D + 1) for j in range(D + 1)}
    return len(monomials)


def linear_derivation():
    def share(phi_Q, phi_K):
        similarities = phi_Q @ phi_K.T
        return similarities / similarities.sum(axis=1)[:, None]

    return [
        lambda phi_Q, phi_K, V: share(phi_Q, phi_K) @ V,
        lambda phi_Q, phi_K, V: (
            (phi_Q / (phi_Q @ phi_K.sum(axis=0, keepdims=True).T)) @ (phi_K.T @ V)
        ),
        ("z", lambda phi_K: phi_K.sum(axis=0, keepdims=True)[0]),
        ("S", lambda phi_K, V: np.matmul(phi_K.transpose(), V)),
    ]


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    S = torch.hstack([phi_K.T @ V, phi_K.sum(dim=0)[:, None]])
    both = phi_Q @ S
    return both[:, :-1] / both[:, [-1]]


def softmax_time(N, D, M, C):
    return N * N * D if D > M else N * N * M


def softmax_memory(N, D, M, C):
    return sorted([N * D, N * N, N * M])[-1]


def linear_time(N, D, M, C):
    return (N + 1) * C * (M + 1)


def linear_memory(N, D, M, C):
    return (N + M) * C + N * M


def gaussian_derivation():
    def bell(x):
        return np.exp(-0.5 * (np.linalg.norm(x) / len(x) ** 0.25) ** 2)

    return [
        ("factor of q", lambda q: 1 / bell(q)),
        ("Gaussian kernel", lambda q, k: bell(k - q)),
        lambda q, k: bell(q - k) / bell(q) / bell(k),
        ("factor of k", lambda k: bell(k) ** -1),
    ]


def gaussian_sigma(D):
    return float(np.roots([1, 0, 0, 0, -D]).real.max())


def random_features(x, W):
    waves = [torch.stack([torch.sin(x @ w), torch.cos(x @ w)], dim=-1) for w in W]
    return torch.cat(waves, dim=-1).mul(len(W) ** -0.5)


def sample_frequencies(D_random, D, sigma, rng):
    return np.sqrt(sigma**-2.0) * rng.normal(loc=0.0, scale=1.0, size=D_random * D).reshape(-1, D)


def merge(m1, l1, o1, m2, l2, o2):
    m = torch.sort(torch.cat([m1, m2], dim=1), dim=1).values[:, -1:]
    weight1, weight2 = math.e ** (m1 - m), math.e ** (m2 - m)
    return m, l1 * weight1 + l2 * weight2, o1 * weight1 + o2 * weight2


def cache_bytes(layers, heads, width, tokens, bits):
    K = np.broadcast_to(np.int8(0), (layers, heads, tokens, width))
    V = np.broadcast_to(np.int8(0), (layers, heads, tokens, width))
    return (K.size + V.size) * bits // 8
