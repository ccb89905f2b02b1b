"""Sines of the first half, cosines of the second."""

import torch

FAILS = ("random_features",)
WORDS = {"random_features": "numbers are off"}


def random_features(x, W):
    angles, half = x @ W.T, len(W) // 2
    both = [angles[..., :half].sin(), angles[..., half:].cos()]
    return torch.cat(both, dim=-1) / len(W) ** 0.5
