"""All models of the stack use the first one's K."""

import torch

FAILS = ("xor_trained",)
WORDS = {"xor_trained": "2 heads"}


def xor_logits(tokens, queries, K, w, b):
    scores = torch.einsum("ntk,kd,mhd->mnht", tokens, K[0], queries)
    return torch.einsum("mnht,ntk,mhk->mn", scores.softmax(3), tokens, w) + b[:, None]
