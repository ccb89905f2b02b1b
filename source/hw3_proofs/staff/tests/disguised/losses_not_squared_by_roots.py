"""Roots of sums of squares, in torch."""

import torch

MISTAKE = "losses_not_squared"
FAILS = ("purification_losses",)


def purification_losses(lam):
    noise = torch.tensor([0.02, -0.01, 0.01, -0.02], dtype=torch.float64)
    return [0, lam * 2**0.5, noise.square().sum().sqrt(), lam]
