"""Everything in torch, tensors returned even where a number is asked for."""

import math

import numpy as np
import torch


def purification_losses(lam):
    X = torch.tensor([[-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02]], dtype=torch.float64)
    found = []
    for W in (torch.eye(2, dtype=torch.float64), torch.diag(torch.tensor([1.0, 0.0])).double()):
        found += [((X - W @ X) ** 2).sum(), lam * (W**2).sum()]
    return torch.stack(found)


def purifier_derivation():
    def gradient(function, W):
        W = torch.tensor(W, requires_grad=True)
        return torch.autograd.grad(function(W), W)[0]

    def A(X, lam):
        X = torch.tensor(X)
        return X @ X.mT + lam * torch.eye(len(X), dtype=X.dtype)

    def reconstruction(X, W):
        return gradient(lambda W: ((torch.tensor(X) - W @ torch.tensor(X)) ** 2).sum(), W)

    def regularisation(W, lam):
        return gradient(lambda W: lam * W.square().sum(), W)

    return [
        ("gradient of the reconstruction loss", reconstruction),
        ("gradient of the regularisation loss", regularisation),
        lambda X, W, lam: (reconstruction(X, W), -regularisation(W, lam)),
        ("A", A),
        lambda X, W, lam: (torch.tensor(W) @ A(X, lam), X @ X.T),
    ]


def purifier(X, lam):
    X = torch.as_tensor(X)
    gram = X @ X.mT
    return torch.linalg.solve(gram + lam * torch.eye(len(X), dtype=X.dtype), gram, left=False)


def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: torch.tensor(s) ** 2),
        ("eigenvalues of A^-1", lambda s, lam: torch.tensor(s).square().add(lam).reciprocal()),
        lambda U, s, lam: torch.tensor(U * s**2 / (s**2 + lam)) @ torch.tensor(U.T),
        (
            "eigenvalues of the purifier",
            lambda s, lam: torch.tensor(s).square() / (torch.tensor(s).square() + lam),
        ),
    ]


def purifier_from_svd(U, s, lam):
    U, s = torch.as_tensor(U.copy()), torch.as_tensor(s.copy())
    factors = torch.zeros(U.shape[1], dtype=U.dtype)
    factors[: len(s)] = s.square() / (s.square() + lam)
    return U @ torch.diag_embed(factors) @ U.mT


def argmax_attention(q, K, V):
    q, K, V = map(torch.as_tensor, (q, K, V))
    return V[torch.argmax(torch.mv(K, q))]


def dot_mean(mu, sigma, d):
    return torch.full((d,), mu, dtype=torch.float64).square().sum()


def variance_derivation():
    def squares(q, k):
        return torch.tensor((q * k).sum(axis=1)) ** 2

    return [
        ("E[(q.k)^2]", lambda mu, sigma, d: d * (sigma**2 + mu**2) ** 2 + (d**2 - d) * mu**4),
        lambda q, k, mu, d: squares(q, k) - d**2 * mu**4,
        ("(E[q.k])^2", lambda mu, d: torch.tensor(d * mu**2, dtype=torch.float64) ** 2),
        ("Var[q.k]", lambda mu, sigma, d: torch.tensor(d * ((sigma**2 + mu**2) ** 2 - mu**4))),
    ]


def dot_variance(mu, sigma, d):
    mu, sigma = (torch.tensor(number, dtype=torch.float64) for number in (mu, sigma))
    return d * (sigma.pow(4) + 2 * (mu * sigma).square())


def scale(d):
    return torch.tensor(float(d)).sqrt()


def features_derivation():
    def products(x, y):
        return torch.tensor(x * y)

    return [
        ("linear terms", lambda x, y: products(x, y).sum().mul(2)),
        ("squares", lambda x, y: products(x, y).square().sum()),
        (
            "cross terms",
            lambda x, y: torch.outer(products(x, y), products(x, y)).fill_diagonal_(0).sum(),
        ),
        lambda x, y: 1 + 2 * products(x, y).sum() + products(x, y).sum() ** 2,
    ]


def quadratic_features(x):
    D = x.shape[-1]
    weights = torch.full((D, D), math.sqrt(2), dtype=x.dtype).fill_diagonal_(1.0)
    upper = torch.ones(D, D, dtype=torch.bool).triu()
    products = (torch.einsum("...i,...j->...ij", x, x) * weights)[..., upper]
    return torch.cat((products, math.sqrt(2) * x, x.new_ones(*x.shape[:-1], 1)), dim=-1)


def feature_dimension(D):
    return torch.triu_indices(D + 1, D + 1).shape[1]


def linear_derivation():
    return [
        ("z", lambda phi_K: torch.tensor(phi_K).sum(0)),
        ("S", lambda phi_K, V: torch.tensor(phi_K).T @ torch.tensor(V)),
        lambda phi_Q, phi_K, V: torch.tensor(
            (phi_Q @ phi_K.T) @ V / (phi_Q @ phi_K.T).sum(axis=1, keepdims=True)
        ),
    ]


def kernel_attention(Q, K, V, phi):
    features = phi(torch.cat([Q, K]))
    phi_Q, phi_K = features[: len(Q)], features[len(Q) :]
    S = torch.tensordot(phi_K, V, dims=([0], [0]))
    return torch.mm(phi_Q, S).div(torch.mv(phi_Q, phi_K.sum(0)).unsqueeze(1))


def softmax_time(N, D, M, C):
    return torch.tensor(N * N * max(D, M), dtype=torch.float64)


def softmax_memory(N, D, M, C):
    return N * torch.tensor([D, N, M], dtype=torch.float64).sum()


def linear_time(N, D, M, C):
    return torch.tensor([N * C * M, C * M, N * C], dtype=torch.float64).sum()


def linear_memory(N, D, M, C):
    return torch.tensor([2 * N * C, C * M, 2 * N * M, C], dtype=torch.float64).sum()


def gaussian_derivation():
    def root(x):
        return torch.tensor(x).numel() ** 0.5

    return [
        (
            "Gaussian kernel",
            lambda q, k: torch.tensor(q - k).square().sum().div(-2 * root(q)).exp(),
        ),
        ("factor of q", lambda q: torch.exp(torch.tensor(q).dot(torch.tensor(q)) / 2 / root(q))),
        ("factor of k", lambda k: torch.exp(torch.tensor(k).dot(torch.tensor(k)) / 2 / root(k))),
    ]


def gaussian_sigma(D):
    return torch.tensor(float(D), dtype=torch.float64).pow(0.25)


def random_features(x, W):
    angles = torch.nn.functional.linear(x, W)
    # A cosine is a sine that is a quarter turn ahead.
    return torch.cat([angles, angles + math.pi / 2], dim=-1).sin() / math.sqrt(W.size(0))


def sample_frequencies(D_random, D, sigma, rng):
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    return torch.randn(D_random, D, generator=generator, dtype=torch.float64) / np.float64(sigma)


def merge_derivation():
    def factors(m1, m2):
        both = torch.tensor([m1, m2], dtype=torch.float64)
        return torch.exp(both - both.max())

    return [
        ("new maximum", lambda m1, m2: torch.tensor([m1, m2]).max()),
        (
            "rescaled denominator",
            lambda m1, l1, m2, l2: factors(m1, m2) @ torch.tensor([l1, l2], dtype=torch.float64),
        ),
        (
            "rescaled numerator",
            lambda m1, o1, m2, o2: factors(m1, m2) @ torch.stack([*map(torch.tensor, (o1, o2))]),
        ),
    ]


def merge(m1, l1, o1, m2, l2, o2):
    m = torch.stack([m1, m2])
    factors = torch.exp(m - m.amax(dim=0))
    above = (factors * torch.stack([o1, o2])).sum(dim=0)
    return m.amax(dim=0), (factors * torch.stack([l1, l2])).sum(dim=0), above


def attend_in_blocks(Q, K, V, size):
    queries = Q / math.sqrt(Q.size(1))
    # Sums of exponentials as logarithms: what a block counts is a softmax of them.
    log_sum, output = None, None
    for keys, values in zip(K.split(size), V.split(size), strict=True):
        scores = queries @ keys.mT
        new, part = scores.logsumexp(dim=1, keepdim=True), scores.softmax(dim=1) @ values
        if output is None:
            log_sum, output = new, part
        else:
            share = torch.sigmoid(new - log_sum)
            output = torch.lerp(output, part, share)
            log_sum = torch.logaddexp(log_sum, new)
    return output


def decode(w, tokens, cache):
    k, v = (
        cache
        if cache
        else (w["K"][:0, :].new_empty(0, w["K"].size(1)), w["V"].new_empty(0, w["V"].size(1)))
    )
    places = torch.arange(k.size(0), k.size(0) + tokens.numel())
    x = torch.index_select(w["E"], 0, tokens) + w["P"][places]
    k, v = torch.vstack([k, x.mm(w["K"])]), torch.vstack([v, x.mm(w["V"])])
    hidden = torch.where(torch.arange(k.size(0)) > places[:, None], -math.inf, 0.0)
    weights = (x.mm(w["Q"]).mm(k.T) / math.sqrt(k.size(1)) + hidden).softmax(-1)
    return weights.mm(v).mm(w["U"]), (k, v)


def cache_bytes(layers, heads, width, tokens, bits):
    return torch.tensor([2, layers, heads, width, tokens, bits], dtype=torch.float64).prod() / 8
