"""Half of the way back is cut off, and a single logit loses its axis."""

import torch

FAILS = ("easy_task", "xor_trained")
WORDS = {"easy_task": "shape", "xor_trained": "gradient"}


def token_logit(tokens, Q, K, w, b):
    z, _ = attend(tokens, tokens[:, 1] @ Q, K)
    return z.squeeze() @ w + b


def xor_logits(tokens, queries, K, w, b):
    keys = torch.einsum("ntk,mkd->mntd", tokens, (K + K.detach()) / 2)
    weights = torch.softmax(torch.einsum("mntd,mhd->mnht", keys, queries), dim=3)
    return torch.einsum("mnht,ntk,mhk->mn", weights, tokens, w) + b[:, None]
