"""What the student of hw3_proofs' source answers, mistakes included, in our own words and code.

Cell id -> answer. What the paper leaves unsaid is not written.
"""

ON_PAPER = {
    "purification_losses_answer": """\
def purification_losses(lam):
    return 0, 2 * lam, 0.001, lam


def purification_threshold():
    return 0.001
""",
    "purifier_derivation_answer": """\
def purifier_derivation():
    # each row of W is a ridge regression
    return [
        ("gradient of the reconstruction loss", lambda X, W: -2 * (X - W @ X) @ X.T),
        ("gradient of the regularisation loss", lambda W, lam: 2 * lam * W),
        lambda X, W, lam: ((X @ X.T + lam * np.eye(len(X))) @ W.T, X @ X.T),
        ("A", lambda X, lam: X @ X.T + lam * np.eye(len(X))),
    ]
""",
    "purifier_answer": """\
def purifier(X, lam):
    return X @ X.T @ np.linalg.inv(X @ X.T + lam * np.eye(X.shape[0]))
""",
    "svd_derivation_answer": """\
def svd_derivation():
    return [
        ("eigenvalues of X X^T", lambda s: s**2),
        ("eigenvalues of A^-1", lambda s, lam: 1 / (s**2 + lam)),
        ("eigenvalues of the purifier", lambda s, lam: s**2 / (s**2 + lam)),
        lambda U, s, lam: U @ np.diag(s**2) @ U.T @ U @ np.diag(1 / (s**2 + lam)) @ U.T,
        lambda U, s, lam: U @ np.diag(s**2) @ np.diag(1 / (s**2 + lam)) @ U.T,
    ]
""",
    "purifier_from_svd_answer": """\
def purifier_from_svd(U, s, lam):
    return U @ np.diag(s**2 / (s**2 + lam)) @ U.T  # there are m singular values
""",
    "lambda_interval_answer": """\
def lambda_interval():
    return 1, 4
""",
    "argmax_attention_answer": """\
def argmax_attention(q, K, V):
    chosen = np.zeros(len(K))
    chosen[np.argmax(K @ q)] = 1
    return chosen @ V
""",
    "argue_argmax": (
        "The argmax does not react to a tiny change of keys and queries, because the winner stays "
        "the winner. So their gradients are always zero and they are never improved; gradients "
        "flow only through the element that was selected."
    ),
    "dot_mean_answer": """\
def dot_mean(mu, sigma, d):
    return d * mu**2
""",
    "variance_derivation_answer": """\
def variance_derivation():
    return [
        ("E[(q.k)^2]", lambda sigma, d: d * sigma**2),
        ("(E[q.k])^2", lambda: 0),
        ("Var[q.k]", lambda sigma, d: d * sigma**2),
    ]
""",
    "dot_variance_answer": """\
def dot_variance(mu, sigma, d):
    return d * sigma**2
""",
    "scale_answer": """\
def scale(d):
    return np.sqrt(d)
""",
    "argue_denominator": (
        "The sum in the denominator must not be zero. So sim must always have the same sign, all "
        "positive or all negative."
    ),
    "features_derivation_answer": """\
def features_derivation():
    return [
        ("squares", lambda x, y: sum(x**2 * y**2)),
        ("linear terms", lambda x, y: sum(2 * x * y)),
        lambda x, y: 1 + sum(2 * x * y) + sum(x**2 * y**2),
    ]
""",
    "quadratic_features_answer": """\
def quadratic_features(x):
    return torch.cat([torch.ones_like(x[..., :1]), 2**0.5 * x, x**2], dim=-1)


def feature_dimension(D):
    return 2 * D + 1
""",
    "linear_derivation_answer": """\
def linear_derivation():
    return [
        ("S", lambda phi_K, V: phi_K.T @ V),
        ("z", lambda phi_K: phi_K.sum(axis=0)),
    ]
""",
    "kernel_attention_answer": """\
def kernel_attention(Q, K, V, phi):
    U = torch.zeros(phi(K[0]).shape[0], V.shape[1], dtype=V.dtype)
    Z = torch.zeros(phi(K[0]).shape[0], dtype=V.dtype)
    for j in range(len(K)):
        U += torch.outer(phi(K[j]), V[j])
        Z += phi(K[j])
    rows = []
    for i in range(len(Q)):
        rows.append(phi(Q[i]) @ U / (phi(Q[i]) @ Z))
    return torch.stack(rows)
""",
    "costs_answer": """\
def softmax_time(N, D, M, C):
    return N**2 * max(D, M)


def softmax_memory(N, D, M, C):
    return N * max(D, N, M)


def linear_time(N, D, M, C):
    return N * C * M


def linear_memory(N, D, M, C):
    return N * (D + M) + C * M
""",
    "argue_linear": (
        "For the quadratic kernel C is of order D^2, so with M = D the time is of order N D^3, and "
        "the memory N D + D^3. Softmax takes N^2 D and N max(D, N). For N much larger than D^2 the "
        "linear form is faster and needs much less memory."
    ),
    "random_features_answer": """\
def random_features(x, W):
    return (1 / len(W)) ** 0.5 * torch.cat([torch.sin(x @ W.T), torch.cos(x @ W.T)], dim=-1)
""",
    "sample_frequencies_answer": """\
def sample_frequencies(D_random, D, sigma, rng):
    return rng.normal(0, sigma, size=(D_random, D))
""",
}
