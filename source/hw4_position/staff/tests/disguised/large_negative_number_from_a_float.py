"""As large_negative_number, with a larger number, multiplied."""

import torch

MISTAKE = "large_negative_number"
FAILS = ("causal_mask",)


def causal_mask(T):
    return -1000.0 * torch.triu(torch.ones(T, T), diagonal=1)
