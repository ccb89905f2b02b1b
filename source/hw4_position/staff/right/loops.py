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


def rotate(x, positions, base):
    T, d = x.shape
    rows = []
    for t in range(T):
        numbers = []
        for k in range(d // 2):
            angle = positions[t] / base ** (2 * k / d)
            u, v = x[t, 2 * k], x[t, 2 * k + 1]
            numbers.append(u * torch.cos(angle) - v * torch.sin(angle))
            numbers.append(u * torch.sin(angle) + v * torch.cos(angle))
        rows.append(torch.stack(numbers))
    return torch.stack(rows)


def previous_by_rotation(d):
    q = torch.full((d,), 4.9)
    return q, rotate(q[None], torch.tensor([1.0]), 10000)[0]


def alibi_bias(heads, T):
    bias = torch.full((heads, T, T), float("-inf"))
    for head in range(heads):
        for query in range(T):
            for key in range(query + 1):
                bias[head, query, key] = (key - query) / 2 ** (8 * (head + 1) / heads)
    return bias
