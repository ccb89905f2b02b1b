"""Complex waves of length 1."""

import torch

MISTAKE = "random_features_without_scaling"
FAILS = ("random_features",)


def random_features(x, W):
    return torch.view_as_real(torch.exp(1j * (x @ W.T))).flatten(-2)
