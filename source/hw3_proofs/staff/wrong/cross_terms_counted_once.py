"""x_i x_j and x_j x_i are merged into one term, whose factor 2 is lost."""

import math
from itertools import combinations

import torch

FAILS = ("features_derivation", "quadratic_features")
NUDGE = "Count all terms of (a + b)^2."
EXPLANATION = "This fits products of different coordinates that were counted once. Each of them appears twice in the square."


def features_derivation():
    return [
        lambda x, y: (x @ y) ** 2 + 2 * x @ y + 1,
        ("squares", lambda x, y: (x**2) @ (y**2)),
        ("cross terms", lambda x, y: sum(a * b for a, b in combinations(x * y, 2))),
        ("linear terms", lambda x, y: 2 * x @ y),
    ]


def quadratic_features(x):
    i, j = torch.triu_indices(x.shape[-1], x.shape[-1], offset=1)
    one = torch.ones_like(x[..., :1])
    return torch.cat([one, math.sqrt(2) * x, x**2, x[..., i] * x[..., j]], dim=-1)
