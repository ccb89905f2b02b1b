"""Squares are taken to appear twice, too."""

import math

import torch

FAILS = ("features_derivation", "quadratic_features")
WORDS = {
    "features_derivation": "`squares`: line 1 is not right",
    "quadratic_features": "numbers are off",
}


def features_derivation():
    return [
        ("squares", lambda x, y: 2 * (x**2) @ (y**2)),
        ("cross terms", lambda x, y: (x @ y) ** 2 - (x**2) @ (y**2)),
        ("linear terms", lambda x, y: 2 * x @ y),
    ]


def quadratic_features(x):
    i, j = torch.triu_indices(x.shape[-1], x.shape[-1])
    root = math.sqrt(2)
    one = torch.ones_like(x[..., :1])
    return torch.cat([one, root * x, root * x[..., i] * x[..., j]], dim=-1)
