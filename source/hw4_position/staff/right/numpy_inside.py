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
