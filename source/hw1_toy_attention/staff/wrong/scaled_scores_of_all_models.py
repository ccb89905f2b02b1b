"""The scores of the stacked models are divided by sqrt(d), as in larger models."""

import torch

FAILS = ("xor_trained",)
NUDGE = "Compare your scores with the formula: is anything divided?"
EXPLANATION = "This fits scores that were divided by the square root of the size of the keys. Many models do; this one does not."


def xor_logits(tokens, queries, K, w, b):
    keys = torch.einsum("ntk,mkd->mntd", tokens, K)
    scores = torch.einsum("mntd,mhd->mnht", keys, queries) / queries.shape[-1] ** 0.5
    return torch.einsum("mnht,ntk,mhk->mn", scores.softmax(3), tokens, w) + b[:, None]
