"""Python loops over pairs, one at a time; logits row by row."""

import torch


def ceiling(M):
    n, right = len(M), 0
    for i in range(n):
        for j in range(i + 1):
            right += 2 if i != j and int(M[i][j]) == int(M[j][i]) else 1
    return right / (n * n)


def causal_mask(T):
    return torch.tensor([[column > row for column in range(T)] for row in range(T)])


def table_logits(model, pairs, padded, mask):
    rows = [model.embedding(pairs[:, 0]), model.embedding(pairs[:, 1])]
    if padded:
        rows.append(torch.zeros_like(rows[0]))
    return model.unembedding(model.encoder(torch.stack(rows, dim=1), mask=mask)[:, -1])


def swap_gap(logits_of, n):
    largest = 0.0
    for i in range(n):
        for j in range(i):
            one, other = logits_of(torch.tensor([[i, j], [j, i]]))
            largest = max(largest, float((one - other).abs().max()))
    return largest


def order_from_states(states, E):
    found = []
    for both in states:
        best = min(
            (float((a - 2 * E[i]).abs().sum() + (b - 1.5 * E[j] - 0.5 * E[i]).abs().sum()), i, j)
            for a, b in (both, both.flip(0))
            for i in range(len(E))
            for j in range(len(E))
        )
        found.append(best[1:])
    return found
