"""Einstein sums for every product."""

import math

import numpy as np
import torch


def purification_losses(lam):
    X = np.array([[-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02]])
    both = np.stack([np.eye(2), np.diag([1, 0])])
    rests = X - np.einsum("wab,bn->wan", both, X)
    rec = np.einsum("wan,wan->w", rests, rests)
    reg = lam * np.einsum("wab,wab->w", both, both)
    return np.stack([rec, reg], axis=1).ravel()


def purifier_derivation():
    def gram(X):
        return np.einsum("an,bn->ab", X, X)

    return [
        (
            "gradient of the reconstruction loss",
            lambda X, W: 2 * np.einsum("ab,bn,cn->ac", W, X, X) - 2 * np.einsum("an,cn->ac", X, X),
        ),
        lambda X, W, lam: (np.einsum("ab,bc->ac", W, gram(X)) + lam * W, gram(X)),
        ("gradient of the regularisation loss", lambda W, lam: np.einsum(",ab->ab", 2 * lam, W)),
        ("A", lambda X, lam: np.einsum("an,bn->ab", X, X) + lam * np.eye(len(X))),
        lambda X, W, lam: (
            2 * np.einsum("ab,bc->ac", W, gram(X) + lam * np.eye(len(X))),
            2 * gram(X),
        ),
        lambda X, W, lam: (W, gram(X) @ np.linalg.inv(gram(X) + lam * np.eye(len(X)))),
    ]


def purifier(X, lam):
    gram = np.einsum("an,bn->ab", X, X)
    return np.einsum("ab,bc->ac", gram, np.linalg.inv(gram + lam * np.eye(len(gram))))


def svd_derivation():
    return [
        lambda X, lam: np.einsum(
            "an,bn,bc->ac", X, X, np.linalg.inv(X @ X.T + lam * np.eye(len(X)))
        ),
        ("eigenvalues of X X^T", lambda s: np.einsum("i,i->i", s, s)),
        ("eigenvalues of A^-1", lambda s, lam: 1 / (np.einsum("i,i->i", s, s) + lam)),
        lambda U, s, lam: np.einsum("ai,i,i,bi->ab", U, s**2, 1 / (s**2 + lam), U),
        (
            "eigenvalues of the purifier",
            lambda s, lam: np.einsum("i,i,i->i", s, s, 1 / (s**2 + lam)),
        ),
    ]


def purifier_from_svd(U, s, lam):
    U = U[:, : len(s)]
    return np.einsum("ai,i,bi->ab", U, s**2 / (s**2 + lam), U)


def argmax_attention(q, K, V):
    scores = np.einsum("nd,d->n", K, q)
    return np.einsum("n,nv->v", (scores == scores.max()).astype(float), V)


def dot_mean(mu, sigma, d):
    return np.einsum("i,i->", np.full(d, mu), np.full(d, mu))


def variance_derivation():
    return [
        lambda q, k, mu, d: np.einsum("ri,ri->r", q, k) ** 2 - d**2 * mu**4,
        lambda q, k, mu, d: np.einsum("ri,ri,rj,rj->r", q, k, q, k) - d**2 * mu**4,
        (
            "E[(q.k)^2]",
            lambda mu, sigma, d: (mu**4 + np.eye(d) * ((sigma**2 + mu**2) ** 2 - mu**4)).sum(),
        ),
        ("(E[q.k])^2", lambda mu, d: np.einsum("i,j->", np.full(d, mu**2), np.full(d, mu**2))),
        ("Var[q.k]", lambda mu, sigma, d: d * (sigma**2 + mu**2) ** 2 - d * mu**4),
    ]


def dot_variance(mu, sigma, d):
    covariance = np.full((d, d), 0.0)
    np.fill_diagonal(covariance, (sigma**2 + mu**2) ** 2 - mu**4)
    return np.einsum("ij->", covariance)


def scale(d):
    return np.sqrt(np.einsum("i->", np.ones(d)))


def features_derivation():
    def table(x, y):
        return np.einsum("i,j,i,j->ij", x, x, y, y)

    return [
        lambda x, y: np.einsum("ij->", table(x, y)) + 2 * np.einsum("i,i", x, y) + 1,
        ("squares", lambda x, y: np.einsum("ii->", table(x, y))),
        ("cross terms", lambda x, y: np.einsum("ij->", table(x, y)) - np.einsum("ii", table(x, y))),
        ("linear terms", lambda x, y: 2 * np.einsum("i,i->", x, y)),
    ]


def quadratic_features(x):
    z = torch.cat([torch.ones_like(x[..., :1]), x], dim=-1)
    return torch.einsum("...i,...j->...ij", z, z).flatten(start_dim=-2)  # (D + 1)^2 of them


def feature_dimension(D):
    return int(np.einsum("ij->", np.triu(np.ones((D + 1, D + 1)))))


def linear_derivation():
    return [
        lambda phi_Q, phi_K, V: (
            np.einsum("ic,jc,jm->im", phi_Q, phi_K, V)
            / np.einsum("ic,jc->i", phi_Q, phi_K)[:, None]
        ),
        ("z", lambda phi_K: np.einsum("jc->c", phi_K)),
        ("S", lambda phi_K, V: np.einsum("jc,jm->cm", phi_K, V)),
        lambda phi_Q, phi_K, V: (
            np.einsum("ic,cm->im", phi_Q, np.einsum("jc,jm->cm", phi_K, V))
            / np.einsum("ic,c->i", phi_Q, np.einsum("jc->c", phi_K))[:, None]
        ),
    ]


def kernel_attention(Q, K, V, phi):
    phi_Q, phi_K = phi(Q), phi(K)
    numerator = torch.einsum("ic,cm->im", phi_Q, torch.einsum("jc,jm->cm", phi_K, V))
    return numerator / torch.einsum("ic,c->i", phi_Q, torch.einsum("jc->c", phi_K)).unsqueeze(-1)


def softmax_time(N, D, M, C):
    return N * D * N + N * N + N * N * M


def softmax_memory(N, D, M, C):
    return N * (D + N + M)


def linear_time(N, D, M, C):
    return 0.5 * N * C * M


def linear_memory(N, D, M, C):
    return 2 * N * C + C * M + C + 2 * N * M


def gaussian_derivation():
    def norm(x):
        return np.einsum("i,i->", x, x)

    return [
        lambda q, k: np.exp((norm(q) - norm(q - k) + norm(k)) / np.sqrt(4 * len(q))),
        ("Gaussian kernel", lambda q, k: np.exp(-norm(q - k) / np.sqrt(4 * len(q)))),
        ("factor of k", lambda k: np.exp(norm(k) / np.sqrt(4 * len(k)))),
        ("factor of q", lambda q: np.exp(norm(q) / np.sqrt(4 * len(q)))),
    ]


def gaussian_sigma(D):
    return math.pow(D, 0.25)


def random_features(x, W):
    angles = torch.einsum("...d,rd->...r", x, W / 1)
    return torch.cat([torch.sin(angles), torch.cos(angles)], -1) / len(W) ** (1 / 2)


def sample_frequencies(D_random, D, sigma, rng):
    root = np.eye(D) / sigma
    return np.einsum("rd,de->re", rng.normal(size=(D_random, D)), root)


def merge_derivation():
    def total(m1, m2, first, second):
        m = np.array([m1, m2])
        return np.einsum("b,b...->...", np.exp(m - m.max()), np.array([first, second]))

    return [
        lambda s1, V1, s2, V2: (
            np.einsum("j,jm->m", np.exp(np.r_[s1, s2]), np.r_[V1, V2]) / np.exp(np.r_[s1, s2]).sum()
        ),
        ("rescaled denominator", lambda m1, l1, m2, l2: total(m1, m2, l1, l2)),
        ("rescaled numerator", lambda m1, o1, m2, o2: total(m1, m2, o1, o2)),
        lambda m1, l1, o1, m2, l2, o2: total(m1, m2, o1, o2) / total(m1, m2, l1, l2),
        ("new maximum", lambda m1, m2: max(m1, m2)),
    ]


def merge(m1, l1, o1, m2, l2, o2):
    m = torch.cat([m1, m2], dim=1)  # (N, blocks)
    largest = m.max(dim=1, keepdim=True)[0]
    factors = torch.exp(m - largest)
    return (
        largest,
        torch.einsum("nb,bnk->nk", factors, torch.stack([l1, l2])),
        torch.einsum("nb,bnm->nm", factors, torch.stack([o1, o2])),
    )


def attend_in_blocks(Q, K, V, size):
    m = torch.full((len(Q), 1), -math.inf, dtype=Q.dtype)
    below, above = torch.zeros_like(m), torch.zeros(len(Q), V.shape[1], dtype=Q.dtype)
    for i in range(0, len(K), size):
        scores = torch.einsum("id,jd->ij", Q, K[i : i + size]) * Q.shape[1] ** -0.5
        new = torch.maximum(m, scores.amax(dim=1, keepdim=True))
        weights, kept = torch.exp(scores - new), torch.exp(m - new)
        below = kept * below + torch.einsum("ij->i", weights)[:, None]
        above = kept * above + torch.einsum("ij,jm->im", weights, V[i : i + size])
        m = new
    return above / below


def decode(w, tokens, cache):
    cache = cache or {"K": [], "V": [], "length": 0}
    n = cache["length"]
    x = w["E"][tokens] + w["P"][n : n + len(tokens)]
    kept = {name: [*cache[name], torch.einsum("td,dh->th", x, w[name])] for name in "KV"}
    K, V = torch.cat(kept["K"]), torch.cat(kept["V"])
    scores = torch.einsum("td,dh,sh->ts", x, w["Q"], K) * K.shape[1] ** -0.5
    scores = scores + torch.full_like(scores, -math.inf).triu(n + 1)
    logits = torch.einsum("ts,sv,vc->tc", scores.softmax(dim=1), V, w["U"])
    return logits, {**kept, "length": n + len(tokens)}


def cache_bytes(layers, heads, width, tokens, bits):
    return np.einsum(",,,,,->", 2, layers, heads, width, tokens, bits) // 8
