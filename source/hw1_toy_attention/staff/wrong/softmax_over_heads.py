"""The softmax runs over the heads in place of the tokens."""

import torch

FAILS = ("xor_trained",)
NUDGE = "Over which axis do the weights of one head sum to one?"
EXPLANATION = "This fits a softmax over the heads. Each head has weights of its own, which sum to one over the tokens."


def xor_logits(tokens, queries, K, w, b):
    keys = torch.einsum("ntk,mkd->mntd", tokens, K)
    weights = torch.softmax(torch.einsum("mntd,mhd->mnht", keys, queries), dim=2)
    return torch.einsum("mnht,ntk,mhk->mn", weights, tokens, w) + b[:, None]
