"""The total is that of all p rows of the transform, in which each frequency stands twice."""

import torch

FAILS = ("fourier_power",)
WORDS = {"fourier_power": "same factor"}


def fourier_power(E):
    power = torch.fft.fft(E - E.mean(dim=0), dim=0).abs().pow(2).sum(dim=1)
    return power[1 : (len(E) + 1) // 2] / power.sum()
