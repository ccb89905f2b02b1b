"""The exponentials are divided by their sum."""

import torch

MISTAKE = "weights_for_exponentials"
FAILS = ("terms",)


def terms(tokens, q, K, w, b):
    raised = torch.exp(tokens @ (K @ q))
    return raised / raised.sum(dim=1, keepdim=True) * (tokens @ w + b)
