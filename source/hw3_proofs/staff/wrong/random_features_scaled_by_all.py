"""The scale counts sines and cosines, so that the mean is halved."""

import math

import torch

FAILS = ("random_features",)
NUDGE = "What is sin^2 + cos^2, and how many such pairs are there?"
EXPLANATION = "This fits features that are scaled by their own number, sines and cosines. One frequency gives one cosine of a difference, so the frequencies count."


def random_features(x, W):
    angles = x @ W.T
    return torch.cat([angles.sin(), angles.cos()], dim=-1) / math.sqrt(2 * len(W))
