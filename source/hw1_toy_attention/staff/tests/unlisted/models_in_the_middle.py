"""Sentences come first and models second."""

import torch

FAILS = ("xor_trained",)
WORDS = {"xor_trained": "shape"}


def xor_logits(tokens, queries, K, w, b):
    keys = torch.einsum("ntk,mkd->mntd", tokens, K)
    weights = torch.softmax(torch.einsum("mntd,mhd->mnht", keys, queries), dim=3)
    return torch.einsum("mnht,ntk,mhk->nm", weights, tokens, w) + b
