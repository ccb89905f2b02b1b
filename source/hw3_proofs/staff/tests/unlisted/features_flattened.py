"""All leading axes are flattened into the features."""

import torch

FAILS = ("quadratic_features",)
WORDS = {"quadratic_features": "the last axis alone should change"}


def quadratic_features(x):
    z = torch.cat([torch.ones_like(x[..., :1]), x], dim=-1)
    return (z[..., :, None] * z[..., None, :]).flatten()
