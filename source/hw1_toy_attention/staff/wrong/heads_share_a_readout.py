"""All heads are read out with the first head's weights."""

import torch

FAILS = ("xor_trained",)
NUDGE = "Which indices does w have, and which of them does your product use?"
EXPLANATION = "This fits heads that share one readout: then the model cannot take the smallest token from the largest."


def xor_logits(tokens, queries, K, w, b):
    keys = torch.einsum("ntk,mkd->mntd", tokens, K)
    weights = torch.softmax(torch.einsum("mntd,mhd->mnht", keys, queries), dim=3)
    return torch.einsum("mnht,ntk,mk->mn", weights, tokens, w[:, 0]) + b[:, None]
