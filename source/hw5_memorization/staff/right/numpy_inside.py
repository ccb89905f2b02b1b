"""numpy wherever no gradient is needed."""

import numpy as np
import torch


def power_unif_law(alphas, choices, N):
    laws = []
    for alpha, tokens in zip(alphas, choices):
        tokens = np.asarray(tokens)
        chances = np.power(float(alpha), np.arange(tokens.shape[-1]))
        law = np.zeros((*tokens.shape[:-1], N))
        np.put_along_axis(
            law, tokens, np.broadcast_to(chances / chances.sum(), tokens.shape), axis=-1
        )
        laws.append(torch.from_numpy(law))
    return laws


def last_position_law(best, beta):
    best = np.asarray(best)
    N = len(best)
    law = np.full((N, N, N), (1 - beta) / (N - 1))
    i, j = np.indices((N, N))
    law[i, j, best] = beta
    return torch.from_numpy(law)


def gen_d_law(E, U):
    scores = np.asarray(E) @ np.asarray(U).T
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return torch.from_numpy(powers / powers.sum(axis=1, keepdims=True))


def entropy(laws):
    first, second, third = (np.asarray(law) for law in laws)
    logs = np.log(third, where=third > 0, out=np.zeros_like(third))
    return -np.sum(first[:, None, None] * second[:, :, None] * third * logs)


def first_share(scores):
    scores = np.asarray(scores)
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(scores[..., 1] - scores[..., 0]))


def attention_only(w, contexts, skips=()):
    rows = contexts.numpy()
    on = {name: float(name not in skips) for name in ("emb_QK", "pos_QK", "emb_OV", "pos_OV")}
    tokens = w["W_E"][rows]
    read = on["emb_QK"] * tokens + on["pos_QK"] * w["W_pos"]
    carried = on["emb_OV"] * tokens + on["pos_OV"] * w["W_pos"]
    root = float(np.sqrt(w["W_Q"].shape[1]))
    query = torch.tensordot(read[:, 1], w["W_Q"], dims=([1], [2]))  # (n, H, k)
    keys = torch.tensordot(read, w["W_K"], dims=([2], [2]))  # (n, 2, H, k)
    values = torch.tensordot(carried, w["W_V"], dims=([2], [2]))
    weights = ((query[:, None] * keys).sum(-1) / root).softmax(dim=1)  # (n, 2, H)
    mixed = (weights[..., None] * values).sum(1)
    stream = torch.tensordot(mixed, w["W_O"], dims=([1, 2], [0, 2]))
    if "residual" not in skips:
        stream = stream + tokens[:, 1] + w["W_pos"][1]
    return stream @ w["W_U"].T


def head_logits(w, contexts):
    a = {name: item.detach().numpy() for name, item in w.items()}
    x = a["W_E"][contexts.numpy()] + a["W_pos"]
    asked = np.einsum("nd,hkd->nhk", x[:, 1], a["W_Q"], optimize=True)
    keys, values = (x[:, None] @ np.swapaxes(a[name], 1, 2) for name in ("W_K", "W_V"))
    scores = np.matmul(keys, asked[..., None]).squeeze(axis=3) / np.sqrt(asked.shape[2])
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = powers / powers.sum(axis=2, keepdims=True)
    mixed = (weights[:, :, None] @ values)[:, :, 0]  # (n, H, k)
    written = (a["W_O"] @ mixed[..., None])[..., 0]
    return torch.from_numpy(written @ a["W_U"].T), torch.from_numpy(x[:, 1] @ a["W_U"].T)


def two_losses(logits, law, tokens):
    known = law.detach().numpy().astype(float)
    certain = np.where(known > 0, known, 1.0)
    constant = float((known * np.log(certain)).sum() / len(known))
    logs = logits - logits.logsumexp(dim=1, keepdim=True)
    mean = torch.from_numpy(known / len(known)).to(logits.dtype)
    rows = np.arange(len(known))
    return constant - (mean * logs).sum(), -logs[rows, tokens.numpy()].sum() / len(rows)


def gauge(A, B):
    P, Q = (
        X @ np.linalg.pinv(X)
        for X in (Y - Y.mean(axis=0) for Y in (np.asarray(A, float), np.asarray(B, float)))
    )
    return np.linalg.norm(P - Q, "fro")


def attention_maps(w):
    a = {name: np.asarray(item.detach()) for name, item in w.items()}
    first, second = a["W_E"] + a["W_pos"][:, None]
    query = np.einsum("jd,hkd->hjk", second, a["W_Q"])
    first, second = (x @ np.swapaxes(a["W_K"], 1, 2) for x in (first, second))
    scores = first @ np.swapaxes(query, 1, 2) - (second * query).sum(axis=2)[:, None]
    maps = 1 / (1 + np.exp(-scores / np.sqrt(query.shape[2])))
    return torch.from_numpy(maps), np.linalg.svd(maps, compute_uv=False)


def promoted(parts, tokens):
    parts, tokens = np.asarray(parts), np.asarray(tokens)
    table = np.zeros((parts.shape[2],) * 2, dtype=int)
    for token in np.unique(tokens):
        mean = parts[tokens == token].mean(axis=0)
        table[token] = np.all(mean > mean.mean(axis=1, keepdims=True), axis=0)
    return table


def superposition(E, U, tokens):
    E, U, tokens = (np.asarray(item) for item in (E, U, tokens))
    rows = U - U.mean(axis=0)
    directions = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    own = np.sum(E * directions[tokens], axis=1) / np.linalg.norm(E, axis=1)
    return rows @ rows.T, directions @ directions.T, own


def second_order(law, U):
    law, U = np.asarray(law, float), np.asarray(U, float)
    vectors = []
    for p in law:
        together = np.cov(np.column_stack([U, np.log(p)]), rowvar=False, aweights=p, ddof=0)
        vectors.append(np.linalg.lstsq(together[:-1, :-1], together[:-1, -1], rcond=None)[0])
    return np.stack(vectors)


def principal(law, d):
    logs = np.log(np.asarray(law))
    logs -= logs.mean(axis=1, keepdims=True)
    return np.linalg.svd(logs)[2][:d].T.copy()
