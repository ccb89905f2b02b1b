"""Frequencies of one's own, not those that are given."""

import torch

FAILS = ("random_features",)
WORDS = {"random_features": "numbers are off"}


def random_features(x, W):
    W = torch.randn(W.shape, generator=torch.Generator().manual_seed(0)).double()
    angles = x @ W.T
    return torch.cat([angles.sin(), angles.cos()], dim=-1) / len(W) ** 0.5
