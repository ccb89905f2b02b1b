"""Right where the mask is added to the scores; without gradients its ones forbid all that is left."""

import torch

FAILS = ("causal_mask",)
WORDS = {"causal_mask": "is not a number"}


def causal_mask(T):
    return torch.ones(T, T) + torch.full((T, T), -torch.inf).triu(1)
