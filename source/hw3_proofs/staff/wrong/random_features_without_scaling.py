"""Sines and cosines are not scaled by the number of frequencies."""

import torch

FAILS = ("random_features",)
NUDGE = "What is phi(x).phi(x), and what should it be?"
EXPLANATION = (
    "This fits a sum over the frequencies where their mean belongs: the features are not scaled."
)


def random_features(x, W):
    angles = x @ W.T
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
