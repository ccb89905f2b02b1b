"""Float32 inside, as torch's own defaults are, for whatever is more than one number."""

import math

import numpy as np
import torch


def purification_losses(lam):
    X = np.float32([[-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02]])
    kept, dropped = np.eye(2, dtype=np.float32), np.diag(np.float32([1, 0]))
    return (
        np.sum((X - kept @ X) ** 2),
        lam * np.sum(kept),
        np.sum((X - dropped @ X) ** 2),
        lam * np.sum(dropped),
    )


def purifier_derivation():
    return [
        ("A", lambda X, lam: np.add(X @ X.T, lam * np.eye(len(X)))),
        ("gradient of the regularisation loss", lambda W, lam: np.multiply(2 * lam, W)),
        ("gradient of the reconstruction loss", lambda X, W: np.multiply(-2, X - W @ X) @ X.T),
        lambda X, W, lam: (lam * W, (X - W @ X) @ X.T),
    ]


def purifier(X, lam):
    X = X.astype(np.float32)
    return np.linalg.solve(X @ X.T + np.float32(lam) * np.eye(len(X), dtype=np.float32), X @ X.T)


def svd_derivation():
    return [
        lambda X, lam: np.linalg.solve(X @ X.T + lam * np.eye(len(X)), X @ X.T),
        ("eigenvalues of X X^T", lambda s: np.power(s, 2)),
        ("eigenvalues of A^-1", lambda s, lam: np.divide(1, np.power(s, 2) + lam)),
        ("eigenvalues of the purifier", lambda s, lam: np.divide(s**2, s**2 + lam)),
        lambda U, s, lam: (U * (s**2 / (s**2 + lam))) @ U.T,
    ]


def purifier_from_svd(U, s, lam):
    U, s = np.float32(U[:, : len(s)]), np.float32(s)
    return (U * (s / (s**2 + np.float32(lam)) * s)) @ U.T


def argmax_attention(q, K, V):
    q, K, V = (torch.tensor(array, dtype=torch.float32) for array in (q, K, V))
    return V[torch.topk(K @ q, 1).indices[0]]


def dot_mean(mu, sigma, d):
    return np.float32(mu) ** 2 * np.float32(d)


def variance_derivation():
    return [
        lambda q, k, mu: np.square((q * k - mu**2).sum(axis=1)),
        ("E[(q.k)^2]", lambda mu, sigma, d: d * (mu**2 + sigma**2) ** 2 + d * (d - 1) * mu**4),
        ("(E[q.k])^2", lambda mu, d: np.square(d * mu * mu)),
        ("Var[q.k]", lambda mu, sigma, d: d * ((mu**2 + sigma**2) ** 2 - mu**4)),
    ]


def dot_variance(mu, sigma, d):
    return np.longdouble(d) * np.longdouble(sigma) ** 2 * (sigma**2 + 2 * mu**2)


def scale(d):
    return np.sqrt(np.float32(d))


def features_derivation():
    return [
        ("squares", lambda x, y: np.einsum("i,i,i,i->", x, x, y, y)),
        ("linear terms", lambda x, y: np.einsum("i,i->", x, y) * 2),
        ("cross terms", lambda x, y: np.einsum("i,j->", x * y, x * y) - (x * y) @ (x * y)),
        lambda x, y: 1 + 2 * x @ y + np.einsum("i,j->", x * y, x * y),
    ]


def quadratic_features(x):
    x = x.float()
    i, j = torch.triu_indices(x.shape[-1], x.shape[-1], offset=1)
    pieces = [x**2, math.sqrt(2) * x[..., i] * x[..., j], math.sqrt(2) * x, x[..., :1] ** 0]
    return torch.cat(pieces, dim=-1).double()


def feature_dimension(D):
    return D * D / 2 + 1.5 * D + 1


def linear_derivation():
    return [
        ("S", lambda phi_K, V: np.einsum("jc,jm->cm", phi_K, V)),
        ("z", lambda phi_K: np.einsum("jc->c", phi_K)),
        lambda phi_Q, phi_K, V: np.divide(
            phi_Q @ phi_K.T @ V, (phi_Q @ phi_K.T).sum(axis=1, keepdims=True)
        ),
    ]


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K, V = phi(Q).float(), phi(K).float(), V.float()
    numerator = phi_Q.matmul(phi_K.t().matmul(V))
    return (numerator / (phi_Q @ phi_K.sum(dim=0)[:, None])).double()


def softmax_time(N, D, M, C):
    return np.float32(N) ** 2 * np.float32(max(D, M))


def softmax_memory(N, D, M, C):
    return np.float32(N * N) + np.float32(N * D) + np.float32(N * M)


def linear_time(N, D, M, C):
    return np.float32(3 * N) * np.float32(C) * np.float32(M)


def linear_memory(N, D, M, C):
    return np.float32(C) * np.float32(N + M) + np.float32(N * M)


def gaussian_derivation():
    return [
        lambda q, k: np.exp((q**2 + k**2 - (q - k) ** 2).sum() / (2 * len(q) ** 0.5)),
        ("factor of q", lambda q: np.exp(np.dot(q, q) / (2 * np.sqrt(q.size)))),
        ("factor of k", lambda k: np.exp(np.dot(k, k) / (2 * np.sqrt(k.size)))),
        ("Gaussian kernel", lambda q, k: np.exp(-np.dot(q - k, q - k) / (2 * np.sqrt(q.size)))),
    ]


def gaussian_sigma(D):
    return np.sqrt(np.sqrt(np.float32(D)))


def random_features(x, W):
    angles = x.float() @ W.float().T
    return torch.cat([angles.cos(), -angles.sin()], dim=-1).div(math.sqrt(len(W))).double()


def sample_frequencies(D_random, D, sigma, rng):
    return rng.standard_normal((D_random, D), dtype=np.float32) / np.float32(sigma)


def merge_derivation():
    def factor(a, b):
        return np.exp(np.minimum(a - b, 0))

    return [
        ("new maximum", lambda m1, m2: np.float32(max(m1, m2))),
        (
            "rescaled denominator",
            lambda m1, l1, m2, l2: np.float32(factor(m1, m2) * l1 + factor(m2, m1) * l2),
        ),
        (
            "rescaled numerator",
            lambda m1, o1, m2, o2: np.float32(factor(m1, m2) * o1 + factor(m2, m1) * o2),
        ),
    ]


def merge(*parts):
    m1, l1, o1, m2, l2, o2 = (part.float() for part in parts)
    first, second = (m1 - m2).clamp(max=0).exp(), (m2 - m1).clamp(max=0).exp()
    return torch.max(m1, m2), first * l1 + second * l2, first * o1 + second * o2


def attend_in_blocks(Q, K, V, size):
    queries, merged = Q.float(), []
    for start in range(0, len(K), size):
        scores = queries @ K[start : start + size].float().T / math.sqrt(Q.shape[1])
        m = scores.amax(dim=1, keepdim=True)
        weights = torch.exp(scores - m)
        block = (m, weights.sum(dim=1, keepdim=True), weights @ V[start : start + size].float())
        merged = merge(*merged, *block) if merged else block
    return (merged[2] / merged[1]).double()


def decode(w, tokens, cache):
    w = {name: matrix.float() if name in "EPU" else matrix for name, matrix in w.items()}
    n = len(cache) if cache is not None else 0
    x = w["E"][tokens] + w["P"][n : n + len(tokens)]
    both = torch.cat(
        [x @ w["K"].float(), x @ w["V"].float()], dim=1
    )  # keys and values, side by side
    both = both if cache is None else torch.cat([cache, both])
    K, V = both.split([w["K"].shape[1], w["V"].shape[1]], dim=1)
    scores = x @ w["Q"].float() @ K.T / math.sqrt(K.shape[1])
    scores.masked_fill_(torch.arange(len(both)) > n + torch.arange(len(tokens))[:, None], -1e30)
    weights = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    return weights / weights.sum(dim=1, keepdim=True) @ V @ w["U"], both


def cache_bytes(layers, heads, width, tokens, bits):
    return np.float32(2 * layers * heads) * np.float32(width) * np.float32(tokens) * bits / 8
