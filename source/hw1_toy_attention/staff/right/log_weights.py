"""Weights as exponentials of a log-softmax."""

import numpy as np
import torch


def attend(tokens, queries, K):
    scores = torch.tensordot(tokens, K, dims=1)
    scores = (scores * queries.unsqueeze(1)).sum(dim=-1)
    weights = (scores - scores.logsumexp(dim=1, keepdim=True)).exp()
    return torch.einsum("nt,ntk->nk", weights, tokens), weights


def loss_of_the_demo(logits, labels):
    return -torch.log_softmax(logits, dim=1).exp().gather(1, labels.view(-1, 1)).mean()


def cross_entropy(logits, labels):
    log_p = logits - logits.logsumexp(dim=1, keepdim=True)
    return -log_p.take_along_dim(labels[:, None], dim=1).mean()


def oddness(logit, tokens, b):
    both = logit(torch.cat([tokens, -tokens]))
    return (both[: len(tokens)] + both[len(tokens) :] - 2 * b).abs().max()


def terms(tokens, q, K, w, b):
    scores = (tokens @ K * q).sum(-1)
    values = tokens @ w + b
    return values.sign() * torch.exp(scores + values.abs().log())


def count_xor_patterns(outputs):
    outputs = np.asarray(outputs)
    inner, outer = np.sort(outputs[:, 1:3]), np.sort(outputs[:, [0, 3]])
    return sum(1 for (a, b), (c, d) in zip(inner, outer) if a - d > 1e-6 or c - b > 1e-6)
