"""Ones times minus infinity: zero times infinity is no number."""

import torch

FAILS = ("causal_mask",)
WORDS = {"causal_mask": "holds NaN"}


def causal_mask(T):
    return torch.triu(torch.ones(T, T), 1) * float("-inf")
