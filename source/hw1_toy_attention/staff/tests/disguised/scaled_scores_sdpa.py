"""torch's own attention, with its own scale."""

import torch

MISTAKE = "scaled_scores"
FAILS = (
    "attend",
    "easy_task",
    "oddness",
)


def attend(tokens, queries, K):
    keys = tokens @ K
    z = torch.nn.functional.scaled_dot_product_attention(queries[:, None], keys, tokens)
    weights = torch.softmax((keys @ queries[:, :, None])[..., 0] / keys.shape[-1] ** 0.5, 1)
    return z[:, 0], weights
