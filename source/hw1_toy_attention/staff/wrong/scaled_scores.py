"""Scores are divided by sqrt(d), as in larger models."""

import torch

FAILS = ("attend", "easy_task", "oddness")
NUDGE = "Compare your scores with the formula: is anything divided?"
EXPLANATION = "This fits scores that were divided by the square root of the size of the keys. Many models do; this one does not."


def attend(tokens, queries, K):
    scores = torch.einsum("ntd,nd->nt", tokens @ K, queries) / queries.shape[1] ** 0.5
    weights = torch.softmax(scores, dim=1)
    return torch.einsum("nt,ntk->nk", weights, tokens), weights
