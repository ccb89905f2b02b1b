"""numpy wherever no gradient is needed."""

import numpy as np
import torch


def ceiling(M):
    table = np.asarray(M)
    return np.mean((table == table.T) + 1.0) / 2


def causal_mask(T):
    return torch.from_numpy(~np.tri(T, dtype=bool))


def table_logits(model, pairs, padded, mask):
    x = model.embedding(torch.as_tensor(np.asarray(pairs)))
    if padded:
        x = torch.cat([x, torch.from_numpy(np.zeros((len(x), 1, x.shape[2]), dtype=np.float32))], 1)
    return model.unembedding(model.encoder(x, mask=mask)[:, -1])


def swap_gap(logits_of, n):
    table = logits_of(all_pairs(n)).detach().numpy().reshape(n, n, -1)
    return np.abs(table - np.swapaxes(table, 0, 1)).max()


def order_from_states(states, E):
    states, E = np.asarray(states), np.asarray(E)
    distance = np.abs(states[:, :, None] - 2 * E).sum(axis=3)
    place = distance.min(axis=2).argmin(axis=1)
    rows = np.arange(len(states))
    first = distance[rows, place].argmin(axis=1)
    rest = (2 * states[rows, 1 - place] - E[first]) / 3
    second = np.linalg.norm(rest[:, None] - E, axis=2).argmin(axis=1)
    return np.stack([first, second], axis=1)


def symmetric_control(model, M, steps):
    S = torch.from_numpy(np.where(np.tri(len(M), dtype=bool), M.numpy().T, M.numpy()))
    train_table(
        lambda pairs: table_logits(model, pairs, True, None), list(model.parameters()), S, steps
    )
    return S


def rotate(x, positions, base):
    d = x.shape[1]
    angles = positions.numpy()[:, None] / float(base) ** (np.arange(0, d, 2) / d)
    c, s = (torch.as_tensor(f(angles), dtype=x.dtype) for f in (np.cos, np.sin))
    return torch.stack(
        (x[:, 0::2] * c - x[:, 1::2] * s, x[:, 0::2] * s + x[:, 1::2] * c), 2
    ).flatten(1)


def previous_by_rotation(d):
    angles = 10000.0 ** (-np.arange(0, d, 2) / d)
    q = np.full(d, 5.0)
    k = 5 * np.column_stack([np.cos(angles) - np.sin(angles), np.sin(angles) + np.cos(angles)])
    return q, k.ravel()


def alibi_bias(heads, T):
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    back = np.subtract.outer(np.arange(T), np.arange(T))
    return torch.from_numpy(np.where(back >= 0, -slopes[:, None, None] * back, -np.inf))
