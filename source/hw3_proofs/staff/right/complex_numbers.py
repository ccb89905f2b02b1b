"""Complex numbers on the way: s^2 / (s^2 + lam) is a real part, and so is each cosine."""

import cmath
import math

import numpy as np
import torch


def purification_losses(lam):
    rows = np.array([-2.17, 1.98, 2.41, -2.03]) + 1j * np.array([0.02, -0.01, 0.01, -0.02])
    return (0.0, 2.0 * lam, (rows.imag**2).sum(), abs(1 + 0j) * lam)


def purifier_derivation():
    return [
        lambda X, W, lam: (X @ X.T - W @ X @ X.T, lam * W),
        (
            "gradient of the reconstruction loss",
            lambda X, W: ((np.sqrt(2) * 1j) ** 2 * (X - W @ X) @ X.conj().T).real,
        ),
        (
            "gradient of the regularisation loss",
            lambda W, lam: ((1 + 1j) * (1 - 1j) * lam * W).real,
        ),
        (
            "A",
            lambda X, lam: (
                (
                    np.hstack([X, 1j * math.sqrt(lam) * np.eye(len(X))])
                    @ np.hstack([X, 1j * math.sqrt(lam) * np.eye(len(X))]).conj().T
                ).real
            ),
        ),
    ]


def purifier(X, lam):
    values, vectors = np.linalg.eig((X @ X.T).astype(complex))
    return (vectors @ np.diag(values / (values + lam)) @ np.linalg.inv(vectors)).real


def svd_derivation():
    def factor(s, lam):
        return s / (s + 1j * np.sqrt(lam))

    return [
        ("eigenvalues of the purifier", lambda s, lam: factor(s, lam).real),
        lambda U, s, lam: (U * factor(s, lam) @ U.T).real,
        ("eigenvalues of A^-1", lambda s, lam: np.abs(s + 1j * np.sqrt(lam)) ** -2.0),
        ("eigenvalues of X X^T", lambda s: -((1j * s) ** 2).real),
    ]


def purifier_from_svd(U, s, lam):
    U = U[:, : len(s)]
    return (U @ np.diag(s / (s + 1j * math.sqrt(lam))) @ U.T).real


def argmax_attention(q, K, V):
    scores = (K @ q.astype(complex)).real
    return next(v for score, v in zip(scores, V, strict=True) if score == max(scores))


def dot_mean(mu, sigma, d):
    return -d * ((1j * mu) ** 2).real


def variance_derivation():
    return [
        ("Var[q.k]", lambda mu, sigma, d: d * abs(sigma**2 + 1j * math.sqrt(2) * mu * sigma) ** 2),
        ("(E[q.k])^2", lambda mu, d: abs(d * (1j * mu) ** 2) ** 2),
        lambda q, k, mu, d: ((q @ np.eye(q.shape[1])) * k).sum(axis=1) ** 2 - abs(d * mu**2) ** 2,
        (
            "E[(q.k)^2]",
            lambda mu, sigma, d: (
                abs(d * mu**2 + 1j * math.sqrt(d) * abs(sigma**2 + 1j * 2**0.5 * mu * sigma)) ** 2
            ),
        ),
    ]


def dot_variance(mu, sigma, d):
    return d * abs(sigma**2 + 1j * math.sqrt(2) * mu * sigma) ** 2


def scale(d):
    return cmath.sqrt(d).real


def features_derivation():
    return [
        lambda x, y: abs(1 + x @ y + 0j) ** 2,
        ("linear terms", lambda x, y: ((x + 1j * y) @ (x + 1j * y)).imag),
        ("squares", lambda x, y: -((1j * x * y) @ (x * y * 1j)).real * 1.0),
        ("cross terms", lambda x, y: (x @ y) ** 2 + ((1j * x * y) @ (x * y * 1j)).real),
    ]


def quadratic_features(x):
    # (1 + x_1 + x_2 + ...)^2, term by term, each product in both orders.
    z = torch.cat([x, torch.ones_like(x[..., :1])], dim=-1)
    turned = torch.complex(z, torch.zeros_like(z)) * 1j
    products = -(turned.unsqueeze(-1) * turned.unsqueeze(-2))
    return products.real.reshape(*x.shape[:-1], z.shape[-1] ** 2)


def feature_dimension(D):
    return ((D + 1.5) ** 2 - 0.25) / 2


def linear_derivation():
    return [
        ("z", lambda phi_K: np.fft.fft(phi_K, axis=0)[0].real),
        ("S", lambda phi_K, V: (phi_K.T.astype(complex) @ V).real),
        lambda phi_Q, phi_K, V: (
            (phi_Q @ (phi_K.T @ (V + 1j)).real) / (phi_Q @ (phi_K.T @ (V + 1j)).imag)
        ),
    ]


def kernel_attention(Q, K, V, phi):
    # Values in the real part, ones in the imaginary part: one product makes both sums.
    both = phi(Q).to(torch.complex128) @ (
        phi(K).T.to(torch.complex128) @ torch.complex(V, torch.ones_like(V))
    )
    return both.real / both.imag


def softmax_time(N, D, M, C):
    return abs(N**2 * D + 1j * N**2 * M)


def softmax_memory(N, D, M, C):
    return abs(N * D + N * M + 1j * N * N)


def linear_time(N, D, M, C):
    return abs(1j * N * C * M)


def linear_memory(N, D, M, C):
    return abs(N * C + 1j * C * M) + N * M


def gaussian_derivation():
    def of(x):
        return np.exp(-((1j * x) @ (1j * x)).real / (2 * len(x) ** 0.5))

    return [
        ("factor of k", lambda k: of(k)),
        ("factor of q", lambda q: of(q)),
        lambda q, k: of(q) * of(k) / of(q - k),
        ("Gaussian kernel", lambda q, k: 1 / of(q - k)),
    ]


def gaussian_sigma(D):
    return abs(cmath.sqrt(1j * math.sqrt(D)))


def random_features(x, W):
    waves = torch.exp(1j * (x @ W.T)) / math.sqrt(len(W))
    return torch.view_as_real(waves).flatten(-2)


def sample_frequencies(D_random, D, sigma, rng):
    # Box and Muller: a length and a direction give two normal numbers.
    length = np.sqrt(-2 * np.log(1 - rng.random((D_random, D))))
    return (length * np.exp(2j * np.pi * rng.random((D_random, D)))).real / sigma


def merge(m1, l1, o1, m2, l2, o2):
    m = torch.max(m1, m2)
    pairs = torch.exp(torch.complex(m1 - m, torch.zeros_like(m))), torch.exp(m2 - m + 0j)
    sums = [pairs[0] * one + pairs[1] * two for one, two in ((l1, l2), (o1, o2))]
    return m, sums[0].real, sums[1].real


def cache_bytes(layers, heads, width, tokens, bits):
    keys_and_values = complex(heads * width, heads * width)
    return (keys_and_values.real + keys_and_values.imag) * layers * tokens * (bits / 8)
