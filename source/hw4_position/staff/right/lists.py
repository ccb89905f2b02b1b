"""Lists and counters; answers as plain numbers."""

import math
from collections import Counter

import torch


def ceiling(M):
    answers = {}
    for i, row in enumerate(M.tolist()):
        for j, entry in enumerate(row):
            answers.setdefault(frozenset((i, j)), []).append(entry)
    return sum(Counter(entries).most_common(1)[0][1] for entries in answers.values()) / len(M) ** 2


def causal_mask(T):
    return torch.tensor([[0.0] * (row + 1) + [float("-inf")] * (T - row - 1) for row in range(T)])


def table_logits(model, pairs, padded, mask):
    x = model.embedding(pairs)
    if padded:
        x = torch.stack([*x.unbind(dim=1), torch.zeros(len(x), x.shape[-1])], dim=1)
    *_, last = model.encoder(x, mask=mask).unbind(dim=1)
    return model.unembedding(last)


def swap_gap(logits_of, n):
    logits = logits_of(all_pairs(n)).tolist()
    return max(
        abs(a - b)
        for i in range(n)
        for j in range(n)
        for a, b in zip(logits[i * n + j], logits[j * n + i])
    )


def order_from_states(states, E):
    embeddings, found = E.tolist(), []

    def near(vector, factor):
        distances = [sum(abs(x - factor * e) for x, e in zip(vector, row)) for row in embeddings]
        return min(distances), distances.index(min(distances))

    for one, other in states.tolist():
        if near(other, 2)[0] < near(one, 2)[0]:
            one, other = other, one
        first = near(one, 2)[1]
        rest = [x - 0.5 * e for x, e in zip(other, embeddings[first])]
        found.append([first, near(rest, 1.5)[1]])
    return found


def previous_by_rotation(d):
    angles = [10000 ** (-2 * k / d) for k in range(d // 2)]
    q = [number for angle in angles for number in (-7 * math.sin(angle), 7 * math.cos(angle))]
    return [q, [n for a in angles for n in (-7 * math.sin(2 * a), 7 * math.cos(2 * a))]]


def alibi_bias(heads, T):
    slopes = [2 ** (-8 * h / heads) for h in range(1, heads + 1)]
    return [
        [
            [slope * (key - query) if key <= query else -math.inf for key in range(T)]
            for query in range(T)
        ]
        for slope in slopes
    ]


def rotate(x, positions, base):
    d = x.shape[1]
    rows = []
    for numbers, position in zip(x.unbind(), positions.tolist(), strict=True):
        row = []
        for k, (u, v) in enumerate(zip(numbers[0::2], numbers[1::2], strict=True)):
            c, s = (
                math.cos(position / base ** (2 * k / d)),
                math.sin(position / base ** (2 * k / d)),
            )
            row += [u * c - v * s, u * s + v * c]
        rows.append(torch.stack(row))
    return torch.stack(rows)
