"""Cosines of an einsum."""

import torch

MISTAKE = "cosines_alone"
FAILS = ("random_features",)


def random_features(x, W):
    return torch.cos(torch.einsum("...d,rd->...r", x, W)) * len(W) ** -0.5
