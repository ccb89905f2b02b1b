"""The three positions are kept apart in lists; complex numbers and plain Python for the spectrum."""

import cmath
from collections import Counter

import torch
from torch import nn


def naive_forward(w, pairs):
    tokens = [pairs[:, 0], pairs[:, 1], torch.full_like(pairs[:, 0], len(w["W_E"]) - 1)]
    xs = [w["W_E"][token] + position for token, position in zip(tokens, w["W_pos"])]
    logits = []
    for t, x in enumerate(xs):
        y = x
        for Q, K, V, out in zip(w["W_Q"], w["W_K"], w["W_V"], w["W_O"]):
            query = x @ Q.T
            scores = [(query * (seen @ K.T)).sum(dim=1) / len(Q) ** 0.5 for seen in xs[: t + 1]]
            shares = torch.stack(scores).softmax(dim=0)
            y = y + sum(share[:, None] * (seen @ V.T) for share, seen in zip(shares, xs)) @ out.T
        y = y + torch.relu(y @ w["W_in"].T) @ w["W_out"].T
        logits.append(y @ w["W_U"].T)
    return torch.stack(logits, dim=1)


def fast_forward(w, pairs):
    *_, end = w["W_E"]
    end = end + w["W_pos"][2]
    tables = [w["W_E"][:-1] + w["W_pos"][0], w["W_E"][:-1] + w["W_pos"][1]]
    brought = []
    for Q, K, V in zip(w["W_Q"], w["W_K"], w["W_V"]):
        asked = K.T @ (Q @ end) / len(Q) ** 0.5
        scores = [(table @ asked)[tokens] for table, tokens in zip(tables, pairs.T)]
        shares = torch.stack([*scores, (end @ asked).expand(len(pairs))], dim=1).softmax(dim=1)
        values = [(table @ V.T)[tokens] for table, tokens in zip(tables, pairs.T)]
        values.append(V @ end)
        brought.append(sum(shares[:, [i]] * value for i, value in enumerate(values)))
    x = end + torch.cat(brought, dim=1) @ torch.cat([out.T for out in w["W_O"]])
    x = x + torch.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T


def initial_weights(p, width, hidden, seed):
    dice = torch.Generator()
    dice.manual_seed(seed)
    w = {}
    for name, shape in weight_shapes(p, width, hidden).items():
        deviation = (p + 1) ** -0.5 if name == "W_U" else width**-0.5
        w[name] = nn.Parameter(torch.normal(0.0, deviation, shape, generator=dice))
    return w


def mirror_share(trained, others):
    mirrored = Counter((b, a) for a, b in trained.tolist())
    return [mirrored[a, b] > 0 for a, b in others.tolist()].count(True) / len(others)


def fourier_power(E):
    p, columns = len(E), E.T.tolist()
    roots = [cmath.exp(-2j * cmath.pi * turn / p) for turn in range(p)]
    powers = [
        sum(abs(sum(x * roots[k * a % p] for a, x in enumerate(column))) ** 2 for column in columns)
        for k in range(1, p // 2 + 1)
    ]
    return [power / sum(powers) for power in powers]


def keep_and_remove(E, frequencies):
    p, kept, removed = len(E), [], []
    roots = [cmath.exp(2j * cmath.pi * turn / p) for turn in range(p)]
    for column in E.T.tolist():
        mean, parts = sum(column) / p, [0.0] * p
        for k in frequencies:
            found = sum(x * roots[-k * a % p] for a, x in enumerate(column)) / p
            parts = [part + 2 * (found * roots[k * a % p]).real for a, part in enumerate(parts)]
        kept.append([mean + part for part in parts])
        removed.append([x - part for x, part in zip(column, parts)])
    return [[list(row) for row in zip(*columns)] for columns in (kept, removed)]
