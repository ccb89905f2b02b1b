"""The mean goes to the kept part alone, and the removed one is left without it."""

import torch

FAILS = ("keep_and_remove",)
NUDGE = "What is the mean of each column of `removed`?"
EXPLANATION = "This fits a removed part without the mean of the embedding. Both parts have it."


def keep_and_remove(E, frequencies):
    spectrum = torch.fft.rfft(E, dim=0)
    inside = torch.zeros(len(spectrum), 1, dtype=torch.bool)
    inside[[0, *frequencies]] = True
    kept = torch.fft.irfft(spectrum * inside, n=len(E), dim=0)
    return kept, E - kept
