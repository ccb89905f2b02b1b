"""A Python loop over sentences, stacked at the end."""

import math

import torch


def attend(tokens, queries, K):
    zs, ps = [], []
    for x, q in zip(tokens, queries):
        p = torch.softmax((x @ K) @ q, dim=0)
        ps.append(p)
        zs.append(p @ x)
    return torch.stack(zs), torch.stack(ps)


def loss_of_the_demo(logits, labels):
    total = 0.0
    for (a, b), y in zip(logits.tolist(), labels.tolist()):
        difference = (b - a) if y else (a - b)
        total -= 0.5 * (1 + math.tanh(difference / 2))
    return total / len(labels)


def cross_entropy(logits, labels):
    total = 0.0
    for (a, b), y in zip(logits.tolist(), labels.tolist()):
        top = max(a, b)
        total += top + math.log(math.exp(a - top) + math.exp(b - top)) - (b if y else a)
    return total / len(labels)


def oddness(logit, tokens, b):
    largest = 0.0
    for here, there in zip(logit(tokens).tolist(), logit(-tokens).tolist()):
        largest = max(largest, abs(here + there - 2 * float(b)))
    return largest


def terms(tokens, q, K, w, b):
    rows = [[torch.exp((x @ K) @ q) * (x @ w + b) for x in sentence] for sentence in tokens]
    return torch.stack([torch.stack(row) for row in rows])


def count_xor_patterns(outputs):
    count = 0
    for pp, pm, mp, mm in outputs:
        if min(pm, mp) - max(pp, mm) > 1e-6 or min(pp, mm) - max(pm, mp) > 1e-6:
            count += 1
    return count
