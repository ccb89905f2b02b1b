"""(x.y)^2 + 1."""

import torch

FAILS = ("quadratic_features",)
WORDS = {"quadratic_features": "numbers are off"}


def quadratic_features(x):
    products = (x[..., :, None] * x[..., None, :]).flatten(-2)
    return torch.cat([products, torch.ones_like(x[..., :1])], dim=-1)
