"""The right answers: numpy, float64, slow and obvious."""

from collections.abc import Collection, Mapping

import numpy as np

from autograder.kit import Array

SKIPS = ("emb_QK", "pos_QK", "emb_OV", "pos_OV", "residual")
WEIGHTS = ("W_E", "W_pos", "W_Q", "W_K", "W_V", "W_O", "W_U")
LOGITS = "the array of logits"
GRADIENTS = "the array of gradients (one number for each weight)"


def power_unif_law(alphas: Array, first: Array, second: Array, third: Array, N: int) -> list[Array]:
    """Return the laws of three tokens: (N,), (N, N) and (N, N, N), each given those before.

    Args:
        alphas: (3,); the r-th of a token's choices has a probability in proportion to alpha^r.
        first: (k1,), the choices for the first token, the likeliest first.
        second: (N, k2), those after each first token.
        third: (N, N, k3), those after each two.
        N: Tokens.
    """
    laws = []
    for alpha, choices in zip(alphas, (first, second, third), strict=True):
        law = np.zeros((*choices.shape[:-1], N))
        number = choices.shape[-1]
        for place in np.ndindex(*choices.shape[:-1]):
            for rank, token in enumerate(choices[place].tolist()):
                if number == 1:
                    law[place][token] = 1
                elif alpha == 1:
                    law[place][token] = 1 / number
                else:
                    law[place][token] = alpha**rank * (1 - alpha) / (1 - alpha**number)
        laws.append(law)
    return laws


def power_unif(
    alphas: Array, first: Array, second: Array, third: Array, N: int
) -> dict[str, Array]:
    """Return them as a question's values."""
    laws = power_unif_law(alphas, first, second, third, N)
    return {f"the law of token {number}": law for number, law in enumerate(laws, 1)}


def last_position_law(best: Array, beta: float) -> dict[str, Array]:
    """Return the law of the third token, given two: one token with probability beta, others alike."""
    N = len(best)
    law = np.zeros((N, N, N))
    for i, j, k in np.ndindex(N, N, N):
        if k == best[i, j]:
            law[i, j, k] = beta
        else:
            law[i, j, k] = (1 - beta) / (N - 1)
    return {"the law": law}


def gen_d_law(E: Array, U: Array) -> dict[str, Array]:
    """Return the law (n, N) whose log-probabilities are E U^T up to a constant in each row."""
    law = E @ U.T
    for row in law:
        row -= row.max()
        row[:] = np.exp(row) / np.exp(row).sum()
    return {"the law": law}


def entropy(law_1: Array, law_2: Array, law_3: Array) -> dict[str, Array]:
    """Return the mean entropy of the third token, in nats, over all contexts by their probabilities."""
    N = len(law_1)
    total = 0.0
    for i, j in np.ndindex(N, N):
        if law_1[i] == 0:
            continue
        if law_2[i, j] == 0:
            continue
        for probability in law_3[i, j].tolist():
            if probability > 0:
                total -= law_1[i] * law_2[i, j] * probability * np.log(probability)
    return {"the entropy": np.array(total)}


def first_share(scores: Array) -> dict[str, Array]:
    """Return the softmax's first weight for scores (..., 2)."""
    weights = np.zeros(scores.shape[:-1])
    for place in np.ndindex(*weights.shape):
        first, second = scores[place]
        if first == second:
            weights[place] = 0.5
        elif first > second:
            weights[place] = 1 / (1 + np.exp(second - first))
        else:
            weights[place] = np.exp(first - second) / (1 + np.exp(first - second))
    return {"the weight of the first position": weights}


def head_outputs(read: Array, carried: Array, w: Mapping[str, Array]) -> Array:
    """Return what each head writes at the second token, (n, H, d); weights may be complex.

    Args:
        read: (n, 2, d), what queries and keys see of both tokens.
        carried: (n, 2, d), what values see.
        w: The weights by name.
    """
    outputs = []
    for head in range(len(w["W_Q"])):
        query = read[:, 1] @ w["W_Q"][head].T
        keys, values = read @ w["W_K"][head].T, carried @ w["W_V"][head].T
        scores = (query[:, None] * keys).sum(axis=2) / np.sqrt(query.shape[1])
        weights = np.exp(scores - scores.real.max(axis=1, keepdims=True))
        weights = weights / weights.sum(axis=1, keepdims=True)
        outputs.append((weights[:, :, None] * values).sum(axis=1) @ w["W_O"][head].T)
    return np.stack(outputs, axis=1)


def streams(contexts: Array, w: Mapping[str, Array]) -> Array:
    """Return embedding plus position of both tokens of each context, (n, 2, d)."""
    found: Array = w["W_E"][contexts] + w["W_pos"]
    return found


def logits(contexts: Array, w: Mapping[str, Array], skips: Collection[str] = ()) -> Array:
    """Return the logits (n, N) at the second of two tokens."""
    seen = {}
    for part in ("QK", "OV"):
        if f"emb_{part}" in skips and f"pos_{part}" in skips:
            seen[part] = np.zeros((len(contexts), *w["W_pos"].shape))
        elif f"emb_{part}" in skips:
            seen[part] = np.stack([w["W_pos"]] * len(contexts))
        elif f"pos_{part}" in skips:
            seen[part] = w["W_E"][contexts]
        else:
            seen[part] = streams(contexts, w)
    written = head_outputs(seen["QK"], seen["OV"], w).sum(axis=1)
    if "residual" not in skips:
        written = written + streams(contexts, w)[:, 1]
    result: Array = written @ w["W_U"].T
    return result


def attention_only(
    contexts: Array, skipped: Array, functional: Array, **arrays: Array
) -> dict[str, Array]:
    """Return the logits, and how a sum of them changes along a direction in each weight.

    Args:
        contexts: (n, 2).
        skipped: (5,), 1 where SKIPS' switch is on.
        functional: (n, N), the factors of the sum.
        arrays: The weights by name, and with "along_" before it a direction for each.
    """
    w = {name: arrays[name] for name in WEIGHTS}
    skips = [name for name, on in zip(SKIPS, skipped, strict=True) if on]
    slopes = []
    for name in WEIGHTS:  # the derivative by a complex step, exact to the last digits
        step = {name: w[name] + 1e-20j * arrays[f"along_{name}"]}
        slopes.append((functional * logits(contexts, {**w, **step}, skips).imag).sum() / 1e-20)
    return {LOGITS: logits(contexts, w, skips), GRADIENTS: np.array(slopes)}


def head_logits(contexts: Array, **w: Array) -> dict[str, Array]:
    """Return each head's part of the logits (n, H, N), and the residual stream's (n, N)."""
    whole = streams(contexts, w)
    return {
        "the array of the heads' parts": head_outputs(whole, whole, w) @ w["W_U"].T,
        "the array of the residual stream's part": whole[:, 1] @ w["W_U"].T,
    }


def two_losses(found: Array, law: Array, tokens: Array) -> dict[str, Array]:
    """Return the divergence from the law, the cross-entropy of drawn tokens, and their gradients.

    Args:
        found: Logits (n, N).
        law: (n, N).
        tokens: (n,).
    """
    n, N = found.shape
    divergence = next_token = 0.0
    gradients = np.zeros((2, n, N))
    for row in range(n):
        moved = found[row] - found[row].max()
        logs = moved - np.log(np.exp(moved).sum())
        next_token -= logs[tokens[row]] / n
        for token in range(N):
            if law[row, token] > 0:
                divergence += law[row, token] * (np.log(law[row, token]) - logs[token]) / n
            drawn = token == tokens[row]
            gradients[:, row, token] = (np.exp(logs[token]) - [law[row, token], drawn]) / n
    return {
        "the divergence": np.array(divergence),
        "the loss of the next token": np.array(next_token),
        "the array of the divergence's gradient": gradients[0],
        "the array of the next token's gradient": gradients[1],
    }


def attention_maps(**w: Array) -> dict[str, Array]:
    """Return each head's weight of the first token for every pair, (H, N, N), and singular values (H, N)."""
    N, _ = w["W_E"].shape
    maps = np.zeros((len(w["W_Q"]), N, N))
    for head, first, second in np.ndindex(*maps.shape):
        both = w["W_E"][[first, second]] + w["W_pos"]
        query, keys = w["W_Q"][head] @ both[1], w["W_K"][head] @ both.T
        scores = query @ keys / np.sqrt(len(query))
        maps[head, first, second] = 1 / (1 + np.exp(scores[1] - scores[0]))
    values = np.array([np.linalg.svd(one, compute_uv=False) for one in maps])
    return {"the array of maps": maps, "the array of singular values": values}


def promoted(parts: Array, tokens: Array) -> dict[str, Array]:
    """Return a table (N, N) of 0 and 1: in row k, 1 for each token that no head fails to promote.

    Args:
        parts: The heads' parts of the logits (n, H, N).
        tokens: What follows each context, (n,).
    """
    _, heads, N = parts.shape
    table = np.zeros((N, N))
    for token in range(N):
        if not (tokens == token).any():
            continue
        of_each = parts[tokens == token].mean(axis=0)
        for other in range(N):
            above = [of_each[head, other] > of_each[head].mean() for head in range(heads)]
            table[token, other] = float(all(above))
    return {"the table": table}


def superposition(E: Array, U: Array, tokens: Array) -> dict[str, Array]:
    """Return the products and the cosines of centred rows of U, and E's with the rows of their tokens.

    Args:
        E: (n, d), what is unembedded in each context.
        U: (N, d).
        tokens: (n,), the row of U that belongs to each context.
    """
    rows = U - U.mean(axis=0)
    lengths = np.linalg.norm(rows, axis=1)
    own = [e @ rows[t] / np.linalg.norm(e) / lengths[t] for e, t in zip(E, tokens, strict=True)]
    return {
        "the Gram matrix": rows @ rows.T,
        "the array of cosines": rows @ rows.T / np.outer(lengths, lengths),
        "the array of cosines with the own token": np.array(own),
    }


def second_order(law: Array, U: Array) -> dict[str, Array]:
    """Return the vectors (n, d) for which the divergence is least, to second order.

    Args:
        law: (n, N), without zeros.
        U: (N, d), what unembeds the vectors.
    """
    vectors = []
    for chances in law:
        moved = U - chances @ U
        logs = np.log(chances) - chances @ np.log(chances)
        variance = sum(p * np.outer(u, u) for p, u in zip(chances, moved, strict=True))
        covariance = sum(p * u * log for p, u, log in zip(chances, moved, logs, strict=True))
        vectors.append(np.linalg.solve(variance, covariance))
    return {"the array of vectors": np.array(vectors)}


def principal(law: Array, d: int) -> dict[str, Array]:
    """Return the projector (N, N) onto the d main directions of the log-probabilities (n, N).

    A constant that is added to a context's log-probabilities changes nothing, so it is left out.
    """
    logs = np.log(law)
    logs = logs - logs.mean(axis=1, keepdims=True)
    _, vectors = np.linalg.eigh(logs.T @ logs)
    main = vectors[:, len(vectors) - d :]
    return {"the projector": main @ main.T}


def gauge(A: Array, B: Array) -> dict[str, Array]:
    """Return how far apart the column spaces of A and B (N, d) are, the constant vector left out.

    The Frobenius norm of the difference of the projectors onto the spaces of the centred columns:
    sqrt(2) times the norm of the sines of their principal angles.
    """
    projectors = []
    for matrix in (A, B):
        basis, _ = np.linalg.qr(matrix - matrix.mean(axis=0, keepdims=True))
        projectors.append(basis @ basis.T)
    return {"the distance": np.array(np.linalg.norm(projectors[0] - projectors[1]))}
