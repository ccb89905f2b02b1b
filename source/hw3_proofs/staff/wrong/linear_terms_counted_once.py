"""The linear terms lack their factor 2."""

import math

import torch

FAILS = ("features_derivation", "quadratic_features")
NUDGE = "What is (a + 1)^2, and how large is the middle term?"
EXPLANATION = "This fits linear terms that were counted once. In the square of a sum, the product of its two parts appears twice."


def features_derivation():
    return [
        lambda x, y: (x @ y) ** 2 + 2 * x @ y + 1,
        ("squares", lambda x, y: (x**2) @ (y**2)),
        ("cross terms", lambda x, y: (x @ y) ** 2 - (x**2) @ (y**2)),
        ("linear terms", lambda x, y: x @ y),
    ]


def quadratic_features(x):
    i, j = torch.triu_indices(x.shape[-1], x.shape[-1], offset=1)
    one = torch.ones_like(x[..., :1])
    return torch.cat([one, x, x**2, math.sqrt(2) * x[..., i] * x[..., j]], dim=-1)
