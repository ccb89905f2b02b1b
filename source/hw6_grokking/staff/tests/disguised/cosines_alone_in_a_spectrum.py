"""As cosines_alone: of what the transform gives only the real part is taken."""

import torch

MISTAKE = "cosines_alone"
FAILS = ("keep_and_remove",)


def keep_and_remove(E, frequencies):
    real = torch.fft.rfft(E, dim=0).real
    part = torch.zeros_like(real)
    part[frequencies] = real[frequencies]
    part = torch.fft.irfft(part, n=len(E), dim=0)
    return E.mean(dim=0) + part, E - part
