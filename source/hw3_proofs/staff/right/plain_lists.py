"""Loops, lists and Python's own numbers, with numpy for the inverse alone."""

import math
import random

import numpy as np
import torch


def purification_losses(lam):
    noisy = [0.02, -0.01, 0.01, -0.02]
    rec_P = 0.0
    for x in noisy:
        rec_P += x * x
    return [0.0, sum(lam for _ in range(2)), rec_P, lam]


def purifier_derivation():
    def product(A, B):
        return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]

    def gram(X):
        return product(X, list(zip(*X)))

    def regularisation(W, lam):
        return [[2 * lam * entry for entry in row] for row in W]

    def reconstruction(X, W):
        fitted = product(W, X)
        rests = [[a - b for a, b in zip(*rows)] for rows in zip(X, fitted)]
        return [[-2 * entry for entry in row] for row in product(rests, list(zip(*X)))]

    def A(X, lam):
        return [
            [entry + (lam if i == j else 0) for j, entry in enumerate(row)]
            for i, row in enumerate(gram(X))
        ]

    return (
        ("gradient of the regularisation loss", regularisation),
        ("gradient of the reconstruction loss", reconstruction),
        ("A", A),
        lambda X, W, lam: (product(W, A(X, lam)), gram(X)),
    )


def purifier(X, lam):
    m, n = X.shape
    gram = [[sum(X[a][t] * X[b][t] for t in range(n)) for b in range(m)] for a in range(m)]
    A = [[gram[a][b] + lam * (a == b) for b in range(m)] for a in range(m)]
    inverse = np.linalg.inv(A)
    return [[sum(gram[a][c] * inverse[c][b] for c in range(m)) for b in range(m)] for a in range(m)]


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: [x**2 for x in s]),
        ("eigenvalues of A^-1", lambda s, lam: [1 / (x**2 + lam) for x in s]),
        ("eigenvalues of the purifier", lambda s, lam: [x**2 / (x**2 + lam) for x in s]),
        lambda U, s, lam: sum(
            x**2 / (x**2 + lam) * np.outer(column, column) for x, column in zip(s, U.T, strict=True)
        ),
    ]


def purifier_from_svd(U, s, lam):
    m = len(U)
    W = [[0.0] * m for _ in range(m)]
    for i, x in enumerate(s):
        for a in range(m):
            for b in range(m):
                W[a][b] += U[a][i] * x**2 / (x**2 + lam) * U[b][i]
    return W


def argmax_attention(q, K, V):
    best, best_score = None, -math.inf
    for key, value in zip(K.tolist(), V.tolist(), strict=True):
        score = sum(a * b for a, b in zip(q.tolist(), key, strict=True))
        if score > best_score:
            best, best_score = value, score
    return best


def dot_mean(mu, sigma, d):
    total = 0.0
    for _ in range(d):
        total += mu * mu
    return total


def variance_derivation():
    def squares(mu, sigma, d):
        second = sigma**2 + mu**2
        return math.fsum(second**2 if i == j else mu**4 for i in range(d) for j in range(d))

    return [
        ("E[(q.k)^2]", squares),
        ("(E[q.k])^2", lambda mu, d: math.fsum([mu**2] * d) ** 2),
        lambda mu, sigma, d: squares(mu, sigma, d) - math.fsum([mu**2] * d) ** 2,
        ("Var[q.k]", lambda mu, sigma, d: math.fsum([sigma**4, 2 * mu**2 * sigma**2] * d)),
    ]


def dot_variance(mu, sigma, d):
    of_one_product = (sigma**2 + mu**2) ** 2 - (mu**2) ** 2
    return math.fsum([of_one_product] * d)


def scale(d):
    return math.hypot(*[1.0] * d)


def features_derivation():
    def over(x, y, pairs):
        return math.fsum(x[i] * y[i] * x[j] * y[j] for i, j in pairs)

    def cross(x, y):
        return over(x, y, [(i, j) for i in range(len(x)) for j in range(len(x)) if i != j])

    return [
        ("squares", lambda x, y: over(x, y, [(i, i) for i in range(len(x))])),
        ("cross terms", cross),
        ("linear terms", lambda x, y: math.fsum(2 * a * b for a, b in zip(x, y, strict=True))),
    ]


def quadratic_features(x):
    columns = [x[..., i] for i in range(x.shape[-1])]
    features = [x[..., 0] * 0 + 1]
    for i, one in enumerate(columns):
        features.append(-math.sqrt(2) * one)
        for j, other in enumerate(columns):
            features.append(one * other if i != j else -one * other)
    return torch.stack(features, dim=-1)


def feature_dimension(D):
    count = 1
    for i in range(D):
        count += 1
        for _ in range(i, D):
            count += 1
    return count


def linear_derivation():
    def z(phi_K):
        return [sum(row[c] for row in phi_K) for c in range(len(phi_K[0]))]

    def S(phi_K, V):
        C, M = len(phi_K[0]), len(V[0])
        pairs = list(zip(phi_K.tolist(), V.tolist(), strict=True))
        return [[sum(k[c] * v[m] for k, v in pairs) for m in range(M)] for c in range(C)]

    return (
        ("S", S),
        lambda phi_Q, phi_K, V: [
            (np.array(S(phi_K, V)).T @ query / (query @ z(phi_K))).tolist() for query in phi_Q
        ],
        ("z", z),
    )


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    columns = []
    for m in range(V.shape[1]):
        weighted = (phi_K * V[:, m : m + 1]).sum(dim=0)
        columns.append((phi_Q * weighted).sum(dim=1) / (phi_Q * phi_K.sum(dim=0)).sum(dim=1))
    return torch.stack(columns, dim=1)


def softmax_time(N, D, M, C):
    scores, sums = N * N * D, N * N * M
    return scores + sums


def softmax_memory(N, D, M, C):
    return sum([N * D, N * D, N * M, N * N, N * M])


def linear_time(N, D, M, C):
    return sum([N * C, N * C, N * C * M, N * C, N * C * M, N * C, N * M])


def linear_memory(N, D, M, C):
    return sum([N * D, N * D, N * M, C, C * M, N * M])


def gaussian_derivation():
    def half(x):
        return sum(a * a for a in x) / (2 * math.sqrt(len(x)))

    return [
        lambda q, k: math.exp(half(q) + half(k) - half(q - k)),
        ("factor of q", lambda q: math.exp(half(q))),
        ("Gaussian kernel", lambda q, k: math.exp(-half(q - k))),
        ("factor of k", lambda k: math.exp(half(k))),
    ]


def gaussian_sigma(D):
    return math.exp(math.log(D) / 4)


def random_features(x, W):
    features = []
    for w in W:
        angle = (x * w).sum(dim=-1)
        features += [torch.cos(angle) / math.sqrt(len(W)), torch.sin(angle) / math.sqrt(len(W))]
    return torch.stack(features, dim=-1)


def sample_frequencies(D_random, D, sigma, rng):
    draw = random.Random(int(rng.integers(2**62)))
    return [[draw.gauss(0, 1 / sigma) for _ in range(D)] for _ in range(D_random)]


def merge_derivation():
    def larger(m1, m2):
        return m1 if m1 > m2 else m2

    def below(m1, l1, m2, l2):
        return math.exp(m1 - larger(m1, m2)) * l1 + math.exp(m2 - larger(m1, m2)) * l2

    def above(m1, o1, m2, o2):
        m = larger(m1, m2)
        return [math.exp(m1 - m) * a + math.exp(m2 - m) * b for a, b in zip(o1, o2, strict=True)]

    return (
        ("rescaled numerator", above),
        ("rescaled denominator", below),
        ("new maximum", larger),
    )


def merge(m1, l1, o1, m2, l2, o2):
    rows = []
    for a, b in zip(zip(m1, l1, o1, strict=True), zip(m2, l2, o2, strict=True), strict=True):
        if b[0] > a[0]:
            a, b = b, a
        share = torch.exp(b[0] - a[0])
        rows.append((a[0], a[1] + share * b[1], a[2] + share * b[2]))
    return [torch.stack(part) for part in zip(*rows, strict=True)]


def attend_in_blocks(Q, K, V, size):
    rows = []
    for q in Q:
        m, below, above = -math.inf, 0.0, 0.0
        for first in range(0, K.shape[0], size):
            last = min(first + size, K.shape[0])
            scores = K[first:last] @ q / math.sqrt(len(q))
            new = max(m, float(scores.max()))
            kept = math.exp(m - new)
            weights = (scores - new).exp()
            below = kept * below + weights.sum()
            above = kept * above + weights @ V[first:last]
            m = new
        rows.append(above / below)
    return torch.stack(rows)


def decode(w, tokens, cache):
    keys, values = cache if cache is not None else ([], [])
    keys, values, logits = [*keys], [*values], []
    for token in tokens:
        x = w["E"][token] + w["P"][len(keys)]
        keys.append(x @ w["K"])
        values.append(x @ w["V"])
        scores = torch.stack(keys) @ (x @ w["Q"]) / math.sqrt(len(keys[0]))
        logits.append(scores.softmax(dim=0) @ torch.stack(values) @ w["U"])
    return torch.stack(logits), [keys, values]


def cache_bytes(layers, heads, width, tokens, bits):
    total = 0
    for _ in range(layers):
        for _ in range(heads):
            total += 2 * width * tokens
    return total * (bits / 8)
