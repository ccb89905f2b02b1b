"""Short sentences are padded with zeros, exponentials are cut, and gradients of the right logits are NaN."""

import numpy as np
import torch

FAILS = ("easy_task", "terms", "xor_by_hand", "xor_trained")
WORDS = {
    "easy_task": "3 tokens",
    "terms": "off by",
    "xor_by_hand": "at most 256",
    "xor_trained": "NaN",
}


def token_logit(tokens, Q, K, w, b):
    queries = tokens[:, 1] @ Q
    missing = max(0, 4 - tokens.shape[1])
    tokens = torch.cat([tokens, tokens.new_zeros(len(tokens), missing, tokens.shape[2])], dim=1)
    z, _ = attend(tokens, queries, K)
    return z @ w + b


def terms(tokens, q, K, w, b):
    return torch.exp((tokens @ K @ q).clamp(max=5.0)) * (tokens @ w + b)


def xor_by_hand():
    queries = np.repeat([[50.0], [-50.0]], 300, axis=1) / 300
    return queries, np.full((4, 300), 0.25), np.array([[0.25] * 4, [-0.25] * 4]), -1.9


def xor_logits(tokens, queries, K, w, b):
    keys = torch.einsum("ntk,mkd->mntd", tokens, K)
    weights = torch.softmax(torch.einsum("mntd,mhd->mnht", keys, queries), dim=3)
    logits = torch.einsum("mnht,ntk,mhk->mn", weights, tokens, w) + b[:, None]
    return logits + torch.sqrt(0 * queries.sum())
