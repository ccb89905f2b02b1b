"""The mean goes to the kept part, and the removed one is left without it."""

import torch

FAILS = ("keep_and_remove",)
WORDS = {"keep_and_remove": "without them.*off by up to"}


def keep_and_remove(E, frequencies):
    spectrum = torch.fft.rfft(E, dim=0)
    inside = torch.zeros(len(spectrum), 1, dtype=torch.bool)
    inside[[0, *frequencies]] = True
    kept = torch.fft.irfft(spectrum * inside, n=len(E), dim=0)
    return kept, E - kept
