"""As mean_counted, with cosines and sines, the constant among them."""

import math

import torch

MISTAKE = "mean_counted"
FAILS = ("fourier_power",)


def fourier_power(E):
    p = E.shape[0]
    k, a = torch.arange((p + 1) // 2).to(E), torch.arange(p).to(E)
    angles = 2 * math.pi / p * k[:, None] * a
    power = ((torch.cos(angles) @ E) ** 2 + (torch.sin(angles) @ E) ** 2).sum(dim=1)
    return (power / power.sum())[1:]
