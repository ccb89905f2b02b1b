"""Batched matrix products, and the query folded into K first."""

import torch


def attend(tokens, queries, K):
    asked = queries @ K.T
    scores = torch.bmm(tokens, asked[:, :, None])
    weights = scores.softmax(1)
    return torch.bmm(weights.mT, tokens)[:, 0], weights[:, :, 0]


def loss_of_the_demo(logits, labels):
    p = logits.softmax(-1)
    return (p[:, 0] * labels - p[:, 0] * (1 - labels) - labels).mean()


def cross_entropy(logits, labels):
    return -torch.log_softmax(logits, 1)[torch.arange(len(labels)), labels].mean()


def token_logit(tokens, Q, K, w, b):
    z, _ = attend(tokens, torch.matmul(tokens[:, 1, :], Q), K)
    return torch.mv(z, w) + b


def learned_logit(tokens, q, K, w, b):
    z, _ = attend(tokens, q.repeat(tokens.shape[0], 1), K)
    return torch.mv(z, w) + b


def oddness(logit, tokens, b):
    return torch.linalg.vector_norm(logit(tokens) + logit(-1 * tokens) - 2 * b, ord=float("inf"))


def terms(tokens, q, K, w, b):
    return torch.matmul(tokens, K @ q).exp() * torch.matmul(tokens, w).add(b)


def count_xor_patterns(outputs):
    count = 0
    for row in outputs.tolist():
        for low, high in ((row[0::3], row[1:3]), (row[1:3], row[0::3])):
            count += max(low) + 1e-6 < min(high)
    return count
