"""The right answers: numpy, float64, slow and obvious."""

import numpy as np

from autograder.kit import Array, Inputs

NOISY = np.array([[-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02]])
"""The data of part 1: one strong row, and one that may well be noise."""


def purification_losses(lam: float) -> dict[str, Array]:
    """Return reconstruction loss and regularisation loss of the identity, then of diag(1, 0)."""
    losses = []
    for W in (np.eye(2), np.diag([1.0, 0.0])):
        losses += [np.sum((NOISY - W @ NOISY) ** 2), lam * np.sum(W**2)]
    return {"the list of losses": np.array(losses)}


def purification_threshold() -> dict[str, Array]:
    """Return the lam at which both matrices have the same objective."""
    return {"the threshold": np.array(np.sum(NOISY[1] ** 2))}


def purifier(X: Array, lam: float) -> dict[str, Array]:
    """Return the minimiser of ||X - W X||^2 + lam ||W||^2, shape (m, m).

    It solves W (X X^T + lam I) = X X^T, whose matrices are symmetric.
    """
    gram = X @ X.T
    return {"the purifier": np.linalg.solve(gram + lam * np.eye(len(X)), gram).T}


def purifier_from_svd(U: Array, s: Array, lam: float) -> dict[str, Array]:
    """Return the same from U (m, k) and the r <= k singular values; the missing ones are 0."""
    W = np.zeros((len(U), len(U)))
    for i in range(U.shape[1]):
        factor = 0.0
        if i < len(s):
            factor = s[i] ** 2 / (s[i] ** 2 + lam)
        W += factor * np.outer(U[:, i], U[:, i])
    return {"the purifier": W}


def lambda_interval() -> dict[str, Array]:
    """Return the lam with s^2 / (s^2 + lam) >= 0.8 for s = 4 and <= 0.5 for s = 1."""
    return {"the interval": np.array([1.0, 4.0])}


def argmax_attention(q: Array, K: Array, V: Array) -> dict[str, Array]:
    """Return the value of the key that scores best for q (d,), with K (n, d) and V (n, v_dim)."""
    place, best = 0, float(q @ K[0])  # not 0: all scores may be negative
    for j in range(1, len(K)):
        score = float(q @ K[j])
        if score > best:
            place, best = j, score
    return {"the output": V[place]}


def best_key(q: Array, K: Array) -> str:
    """Return where the best key is, and of which sign its score: each is a case of its own."""
    scores = [float(q @ key) for key in K]
    best = max(scores)
    sign = "a positive score"
    if best < 0:
        sign = "a negative score, as all have"
    if len(scores) == 1:
        return f"a single key with {sign}"
    place = "in the middle"
    if scores[0] == best:
        place = "first"
    if scores[-1] == best:
        place = "last"
    return f"the best key {place} and with {sign}"


def dot_mean(mu: float, sigma: float, d: int) -> dict[str, Array]:  # noqa: ARG001
    """Return E[q.k] for independent coordinates of mean mu and standard deviation sigma."""
    return {"the mean": np.array(d * mu**2)}


def dot_variance(mu: float, sigma: float, d: int) -> dict[str, Array]:
    """Return Var[q.k] for the same."""
    return {"the variance": np.array(d * (sigma**4 + 2 * mu**2 * sigma**2))}


def scale(d: int) -> dict[str, Array]:
    """Return what q.k is divided by for a variance of 1, with mu = 0 and sigma = 1."""
    return {"the scale": np.array(np.sqrt(d))}


def quadratic_products(x: Array, y: Array, order: Array) -> dict[str, Array]:  # noqa: ARG001
    """Return (p.r + 1)^2 for all pairs of the points in x (..., D) and y (..., D)."""
    points = [*x.reshape(-1, x.shape[-1]), *y.reshape(-1, y.shape[-1])]
    return {"phi(x) . phi(y)": np.array([[(p @ r + 1) ** 2 for r in points] for p in points])}


def feature_dimension(D: int) -> dict[str, Array]:
    """Return how many monomials of degree at most 2 there are in D variables."""
    squares_and_products = sum(1 for i in range(D) for j in range(i, D))
    return {"the number of features": np.array(1 + D + squares_and_products)}


def kernel_attention(Q: Array, K: Array, V: Array, A: Array) -> dict[str, Array]:
    """Return attention with weights phi(q).phi(k)."""
    rows, phi_K = [], phi(K, A)
    for q in Q:
        similarities = phi_K @ phi(q, A)
        rows.append(similarities @ V / similarities.sum())
    return {"the output": np.array(rows)}


def counted_rows(inputs: Inputs) -> Array:
    """Return the outputs of some queries, with all keys, at the shorter length and at the longer one."""
    Q, K, V, A = (inputs[name] for name in "QKVA")
    rows = []
    for length, chosen in ((inputs["short"], "short_rows"), (inputs["long"], "long_rows")):
        some = Q[inputs[chosen]]
        rows.append(kernel_attention(some, K[:length], V[:length], A)["the output"])
    return np.concatenate(rows)


def phi(x: Array, A: Array) -> Array:
    """Return positive features (..., C) of x (..., D) with A (D, C), or x itself for an empty A."""
    features = x
    if A.size:
        features = np.log1p(np.exp(x @ A))
    return features


def gaussian_sigma(D: int) -> dict[str, Array]:
    """Return sigma with exp(q.k / sqrt(D)) = f(q) exp(-||q - k||^2 / (2 sigma^2)) f(k)."""
    return {"sigma": np.array(D**0.25)}


def random_products(x: Array, y: Array, W: Array, order: Array) -> dict[str, Array]:  # noqa: ARG001
    """Return the mean of cos(w.(p - r)) over the rows w of W, for all pairs of points in x and y."""
    points = [*x.reshape(-1, x.shape[-1]), *y.reshape(-1, y.shape[-1])]
    pairs = [[np.mean([np.cos(w @ (p - r)) for w in W]) for r in points] for p in points]
    return {"phi(x) . phi(y)": np.array(pairs)}


def softmax_time(N: float, D: float, M: float, C: float) -> float:  # noqa: ARG001
    """Return the order of multiplications of softmax attention."""
    return N * N * max(D, M)


def softmax_memory(N: float, D: float, M: float, C: float) -> float:  # noqa: ARG001
    """Return the order of numbers it holds, with its inputs and its output."""
    return N * max(D, N, M)


def linear_time(N: float, D: float, M: float, C: float) -> float:  # noqa: ARG001
    """Return the order of multiplications of the linear form."""
    return N * C * M


def linear_memory(N: float, D: float, M: float, C: float) -> float:  # noqa: ARG001
    """Return the order of numbers it holds when phi is applied to all rows at once."""
    return N * C + C * M + N * M


def linear_memory_by_rows(N: float, D: float, M: float, C: float) -> float:
    """Return the same when phi is applied to one row after another."""
    return N * (D + M) + C * M


def gaussian_kernel(inputs: Inputs) -> tuple[Array, Array]:
    """Return the Gaussian kernel at each difference, and the variance of one draw's estimate."""
    squared = (inputs["away"] ** 2).sum(axis=1) / inputs["sigma"] ** 2
    return np.exp(-squared / 2), (1 - np.exp(-squared)) ** 2 / 2


def block_of(scores: Array, values: Array) -> tuple[Array, Array, Array]:
    """Return m (), l () and o (M,) of one query's scores (n,) and the values (n, M)."""
    largest = scores.max()
    weights = np.exp(scores - largest)
    return largest, weights.sum(), weights @ values


def merge(m: Array, l: Array, o: Array, order: Array) -> dict[str, Array]:  # noqa: E741
    """Return the first two blocks of an order as one, then all three with both brackets.

    m and l have shape (3, N, 1), and o has (3, N, M).
    """
    found: dict[str, list[Array]] = {"m": [], "l": [], "o": []}
    for places in (order[:2], order, order):
        largest = m[places].max(axis=0)
        factors = np.exp(m[places] - largest)
        found["m"].append(largest)
        found["l"].append((factors * l[places]).sum(axis=0))
        found["o"].append((factors * o[places]).sum(axis=0))
    return {name: np.array(some) for name, some in found.items()}


def attend_in_blocks(Q: Array, K: Array, V: Array, size: int) -> dict[str, Array]:  # noqa: ARG001
    """Return softmax attention, one query after another."""
    rows = []
    for q in Q:
        _, below, above = block_of(K @ q / np.sqrt(len(q)), V)
        rows.append(above / below)
    return {"the output": np.array(rows)}


def largest_allowed(inputs: Inputs) -> float:
    """Return how many numbers a tensor may have that is made to attend in blocks."""
    (N, D), M, size = inputs["Q"].shape, inputs["V"].shape[1], int(inputs["size"])
    return float(2 * max(N, size) * max(D, M, size))


def decode(
    E: Array,
    P: Array,
    Q: Array,
    K: Array,
    V: Array,
    U: Array,
    tokens: Array,
    more: Array,
    pieces: Array,
) -> dict[str, Array]:
    """Return the logits after each token, and after each of some that follow the first piece."""
    w = (E, P, Q, K, V, U)
    other = np.concatenate([tokens[: pieces[0]], more])
    return {
        "the array of logits": _logits(*w, tokens),
        "the array of a second continuation's logits": _logits(*w, other)[pieces[0] :],
    }


def _logits(E: Array, P: Array, Q: Array, K: Array, V: Array, U: Array, tokens: Array) -> Array:
    """Return the logits (T, vocabulary), each token reading itself and those before it."""
    x = E[tokens] + P[: len(tokens)]
    queries, keys, values = x @ Q, x @ K, x @ V
    rows = []
    for t, query in enumerate(queries, start=1):
        _, below, above = block_of(keys[:t] @ query / np.sqrt(len(query)), values[:t])
        rows.append(above / below @ U)
    return np.array(rows)


def multiplications(inputs: Inputs) -> float:
    """Return how many multiplications decoding takes if nothing is computed twice."""
    (d, h), (v, vocabulary) = inputs["Q"].shape, inputs["U"].shape
    total = 0
    for new, seen in zip(inputs["pieces"], np.cumsum(inputs["pieces"]), strict=True):
        total += new * (2 * d * h + d * v + v * vocabulary) + new * seen * (h + v)
    return float(total)


def operations_allowed(inputs: Inputs) -> float:
    """Return how many operations decoding may take; where it is short, other things count most."""
    if len(inputs["tokens"]) < 64:
        return np.inf
    return 3 * 2 * multiplications(inputs)


def cache_bytes(layers: int, heads: int, width: int, tokens: int, bits: int) -> dict[str, Array]:
    """Return the bytes of all keys and values."""
    numbers = 0
    for _ in ("keys", "values"):
        numbers += layers * heads * width * tokens
    return {"the number of bytes": np.array(numbers * bits / 8)}
