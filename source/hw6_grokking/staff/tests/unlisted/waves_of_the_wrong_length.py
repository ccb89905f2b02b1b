"""Cosines and sines are taken for vectors of length sqrt(p), so that only half of a part is found."""

import math

import torch

FAILS = ("keep_and_remove",)
WORDS = {"keep_and_remove": "off by up to"}


def keep_and_remove(E, frequencies):
    p = len(E)
    part = torch.zeros_like(E)
    for k in frequencies:
        angles = 2 * math.pi * k * torch.arange(p).to(E) / p
        for wave in (torch.cos(angles), torch.sin(angles)):
            part += torch.outer(wave, wave @ E) / p
    return E.mean(dim=0) + part, E - part
