"""numpy wherever no gradient is needed: tokens, masks, draws, spectra."""

import numpy as np
import torch


def naive_forward(w, pairs):
    pairs = np.asarray(pairs)
    equals = np.full(len(pairs), len(w["W_E"]) - 1)
    x = w["W_E"][np.column_stack([pairs, equals])] + w["W_pos"]
    q, k, v = (torch.einsum("nid,hkd->nihk", x, w[name]) for name in ("W_Q", "W_K", "W_V"))
    scores = torch.einsum("nihk,njhk->nhij", q, k) / np.sqrt(q.shape[-1])
    scores = scores.masked_fill(torch.from_numpy(~np.tri(3, dtype=bool)), -np.inf)
    mixed = torch.einsum("nhij,njhk->nihk", scores.softmax(dim=-1), v)
    x = x + torch.einsum("nihk,hdk->nid", mixed, w["W_O"])
    x = x + torch.clamp(x @ w["W_in"].T, min=0) @ w["W_out"].T
    return x @ w["W_U"].T


def fast_forward(w, pairs):
    p, size = len(w["W_E"]) - 1, w["W_Q"].shape[1]
    rows = [np.asarray(pairs)[:, 0], np.asarray(pairs)[:, 1], np.full(len(pairs), 0)]
    numbers, equals = w["W_E"][np.arange(p)], w["W_E"][np.array([p])]
    tables = [table + w["W_pos"][place] for place, table in enumerate([numbers, numbers, equals])]
    query = w["W_Q"] @ tables[2][0]  # (heads, size)
    scores, values = [], []
    for table, row in zip(tables, rows):
        keys = torch.einsum("td,hkd->thk", table, w["W_K"])
        scores.append(((keys * query).sum(dim=2) / np.sqrt(size))[row])
        values.append(torch.einsum("td,hkd->thk", table, w["W_V"])[row])
    shares = torch.softmax(torch.stack(scores), dim=0)
    mixed = (shares[..., None] * torch.stack(values)).sum(dim=0)
    x = tables[2] + torch.einsum("nhk,hdk->nd", mixed, w["W_O"])
    x = x + torch.clamp(x @ w["W_in"].T, min=0) @ w["W_out"].T
    return x @ w["W_U"].T


def initial_weights(p, width, hidden, seed):
    rng = np.random.default_rng(seed)
    deviations = {name: 1 / np.sqrt(width) for name in weight_shapes(p, width, hidden)}
    deviations["W_U"] = 1 / np.sqrt(p + 1)
    return {
        name: torch.tensor(
            rng.normal(scale=deviations[name], size=shape), dtype=torch.float32, requires_grad=True
        )
        for name, shape in weight_shapes(p, width, hidden).items()
    }


def mirror_share(trained, others):
    trained, others = np.asarray(trained), np.asarray(others)
    size = 1 + max(trained.max(), others.max())
    mirrored = others[:, 1] * size + others[:, 0]
    return np.isin(mirrored, trained[:, 0] * size + trained[:, 1]).mean()


def fourier_power(E):
    spectrum = np.fft.fft(np.asarray(E), axis=0)[1 : (len(E) + 1) // 2]
    power = np.sum(np.abs(spectrum) ** 2, axis=1)
    return power / np.sum(power)


def keep_and_remove(E, frequencies):
    spectrum = np.fft.rfft(np.asarray(E), axis=0)
    rows = np.arange(len(spectrum))[:, None]
    inside = np.isin(rows, frequencies)
    kept = np.where(inside | (rows == 0), spectrum, 0)
    removed = np.where(inside, 0, spectrum)
    return np.fft.irfft(kept, len(E), axis=0), np.fft.irfft(removed, len(E), axis=0)
