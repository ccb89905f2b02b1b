"""Logits that are three times too large train as well as the right ones."""

import torch

FAILS = ("easy_task", "xor_trained")
WORDS = {"easy_task": "off by", "xor_trained": "same factor"}


def token_logit(tokens, Q, K, w, b):
    z, _ = attend(tokens, tokens[:, 1] @ Q, K)
    return 3 * (z @ w + b)


def xor_logits(tokens, queries, K, w, b):
    keys = torch.einsum("ntk,mkd->mntd", tokens, K)
    weights = torch.softmax(torch.einsum("mntd,mhd->mnht", keys, queries), dim=3)
    return 3 * (torch.einsum("mnht,ntk,mhk->mn", weights, tokens, w) + b[:, None])
