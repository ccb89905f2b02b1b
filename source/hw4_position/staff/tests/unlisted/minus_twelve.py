"""A large negative number that is not large enough where scores are large."""

import torch

FAILS = ("causal_mask",)
WORDS = {"causal_mask": "a finite number does not see to that"}


def causal_mask(T):
    return torch.full((T, T), -12.0).triu(1)
