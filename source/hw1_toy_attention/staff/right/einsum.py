"""One einsum for the scores of all."""

import numpy as np
import torch


def attend(tokens, queries, K):
    weights = torch.softmax(torch.einsum("ntk,kd,nd->nt", tokens, K, queries), -1)
    return torch.einsum("nt,ntk->nk", weights, tokens), weights


def loss_of_the_demo(logits, labels):
    return -torch.einsum(
        "nc,nc->n", torch.softmax(logits, 1), torch.eye(2, dtype=logits.dtype)[labels]
    ).mean()


def cross_entropy(logits, labels):
    return (
        torch.logaddexp(logits[:, 0], logits[:, 1]).mean()
        - logits[range(len(labels)), labels].mean()
    )


def token_logit(tokens, Q, K, w, b):
    weights = torch.softmax(torch.einsum("ntk,kd,nj,jd->nt", tokens, K, tokens[:, 1], Q), 1)
    return torch.einsum("nt,ntk,k->n", weights, tokens, w) + b


def learned_logit(tokens, q, K, w, b):
    weights = torch.softmax(torch.einsum("ntk,kd,d->nt", tokens, K, q), 1)
    return torch.einsum("nt,ntk,k->n", weights, tokens, w) + b


def oddness(logit, tokens, b):
    return ((logit(tokens) - b) - (b - logit(-tokens))).abs().max().item()


def terms(tokens, q, K, w, b):
    scores = torch.einsum("ntk,kd,d->nt", tokens, K, q)
    return torch.einsum("nt,nt->nt", scores.exp(), torch.einsum("ntk,k->nt", tokens, w) + b)


def count_xor_patterns(outputs):
    signs = np.array([[1, -1], [1, -1]])
    gaps = np.einsum("nij->nij", outputs[:, [1, 2], None] - outputs[:, None, [0, 3]]) * signs[0, 0]
    return int(((gaps > 1e-6).all((1, 2)) | (gaps < -1e-6).all((1, 2))).sum())
