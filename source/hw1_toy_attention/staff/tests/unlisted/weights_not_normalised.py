"""Weights are exponentials that do not sum to one."""

import torch

FAILS = (
    "attend",
    "easy_task",
    "oddness",
)
WORDS = {"attend": "off by|too"}


def attend(tokens, queries, K):
    weights = torch.exp(torch.einsum("ntd,nd->nt", tokens @ K, queries))
    return torch.einsum("nt,ntk->nk", weights, tokens), weights
