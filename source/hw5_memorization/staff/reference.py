"""The right answers: numpy, float64, slow and obvious."""

from collections.abc import Collection, Mapping

import numpy as np

from autograder.model import Array

SKIPS = ("emb_QK", "pos_QK", "emb_OV", "pos_OV", "residual")


def power_unif_law(alphas: Array, first: Array, second: Array, third: Array, N: int) -> list[Array]:
    """Return the laws of three tokens: (N,), (N, N) and (N, N, N), each given those before.

    Args:
        alphas: (3,); the k-th of a token's choices has a chance in proportion to alpha^k.
        first: (k1,), the choices for the first token, the likeliest first.
        second: (N, k2), those after each first token.
        third: (N, N, k3), those after each two.
        N: Tokens.
    """
    laws = []
    for alpha, choices in zip(alphas, (first, second, third), strict=True):
        choices = np.asarray(choices, dtype=int)
        law = np.zeros((*choices.shape[:-1], N))
        chances = alpha ** np.arange(choices.shape[-1])
        for place in np.ndindex(*choices.shape[:-1]):
            law[place][choices[place]] = chances / chances.sum()
        laws.append(law)
    return laws


def power_unif(
    alphas: Array, first: Array, second: Array, third: Array, N: int
) -> dict[str, Array]:
    """Return them as a question's values."""
    laws = power_unif_law(alphas, first, second, third, N)
    return {f"the law of token {number}": law for number, law in enumerate(laws, 1)}


def last_position_law(best: Array, beta: float) -> dict[str, Array]:
    """Return the law of the third token, given two: one token with chance beta, others alike."""
    N = len(best)
    law = np.zeros((N, N, N))
    for i, j in np.ndindex(N, N):
        law[i, j] = (1 - beta) / (N - 1)
        law[i, j, int(best[i, j])] = beta
    return {"the law": law}


def gen_d_law(E: Array, U: Array) -> dict[str, Array]:
    """Return the law (n, N) whose log-probabilities are E U^T up to a constant in each row."""
    scores = E @ U.T
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    return {"the law": chances / chances.sum(axis=1, keepdims=True)}


def entropy(law_1: Array, law_2: Array, law_3: Array) -> dict[str, Array]:
    """Return the mean entropy of the third token, in nats, over all contexts by their chances."""
    N = len(law_1)
    total = 0.0
    for i, j, k in np.ndindex(N, N, N):
        if law_1[i] * law_2[i, j] * law_3[i, j, k] > 0:
            chance = float(law_1[i] * law_2[i, j] * law_3[i, j, k])
            total -= chance * float(np.log(law_3[i, j, k]))
    return {"the entropy": np.array(total)}


def first_share(scores: Array) -> dict[str, Array]:
    """Return the softmax's first weight for scores (..., 2)."""
    moved = scores - scores.max(axis=-1, keepdims=True)
    chances = np.exp(moved)
    return {"the weight of the first position": chances[..., 0] / chances.sum(axis=-1)}


def weights_shapes(N: int, d: int, heads: int, size: int) -> dict[str, tuple[int, ...]]:
    """Return every weight's shape: the last axis is what it reads, the one before what it writes."""
    inward, outward = (heads, size, d), (heads, d, size)
    return {
        "W_E": (N, d),
        "W_pos": (2, d),
        "W_Q": inward,
        "W_K": inward,
        "W_V": inward,
        "W_O": outward,
        "W_U": (N, d),
    }


def head_outputs(contexts: Array, w: Mapping[str, Array], skips: Collection[str] = ()) -> Array:
    """Return what each head writes at the second token, (n, H, d)."""
    parts = {}
    for place in ("QK", "OV"):
        x = np.zeros((len(contexts), 2, w["W_E"].shape[1]))
        if f"emb_{place}" not in skips:
            x = x + w["W_E"][np.asarray(contexts, dtype=int)]
        if f"pos_{place}" not in skips:
            x = x + w["W_pos"]
        parts[place] = x
    outputs = []
    for head in range(len(w["W_Q"])):
        query = parts["QK"][:, 1] @ w["W_Q"][head].T
        keys, values = parts["QK"] @ w["W_K"][head].T, parts["OV"] @ w["W_V"][head].T
        scores = (query[:, None] * keys).sum(axis=2) / np.sqrt(query.shape[1])
        weight = first_share(scores)["the weight of the first position"][:, None]
        outputs.append((weight * values[:, 0] + (1 - weight) * values[:, 1]) @ w["W_O"][head].T)
    return np.stack(outputs, axis=1)


def logits(contexts: Array, w: Mapping[str, Array], skips: Collection[str] = ()) -> Array:
    """Return the logits (n, N) at the second of two tokens."""
    stream = head_outputs(contexts, w, skips).sum(axis=1)
    if "residual" not in skips:
        stream = stream + w["W_E"][np.asarray(contexts[:, 1], dtype=int)] + w["W_pos"][1]
    result: Array = stream @ w["W_U"].T
    return result


def attention_only(contexts: Array, skipped: Array, **w: Array) -> dict[str, Array]:
    """Return the logits; skipped (5,), 1 where SKIPS' switch is on."""
    skips = [name for name, on in zip(SKIPS, skipped, strict=True) if on]
    return {"the array of logits": logits(contexts, w, skips)}


def head_logits(contexts: Array, **w: Array) -> dict[str, Array]:
    """Return each head's part of the logits (n, H, N), and the residual stream's (n, N)."""
    own = w["W_E"][np.asarray(contexts[:, 1], dtype=int)] + w["W_pos"][1]
    return {
        "the array of the heads' parts": head_outputs(contexts, w) @ w["W_U"].T,
        "the array of the residual stream's part": own @ w["W_U"].T,
    }


def two_losses(found: Array, law: Array, tokens: Array) -> dict[str, Array]:
    """Return the divergence from the law and the cross-entropy of drawn tokens, means over rows."""
    largest = found.max(axis=1, keepdims=True)
    log_chances = found - largest - np.log(np.exp(found - largest).sum(axis=1, keepdims=True))
    divergence: float = 0.0
    for place in np.ndindex(*law.shape):
        if law[place] > 0:
            divergence += float(law[place] * (np.log(law[place]) - log_chances[place]))
    drawn = log_chances[np.arange(len(found)), np.asarray(tokens, dtype=int)]
    return {
        "the divergence": np.array(divergence / len(found)),
        "the loss of the next token": np.array(-drawn.mean()),
    }


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
