"""The feature that is 1 for every x is missing."""

import math

import torch

FAILS = ("quadratic_features", "feature_dimension")
NUDGE = "What should phi(x).phi(y) be for x = 0?"
EXPLANATION = "This fits features without the constant one: for x = 0 the similarity is 1, not 0."


def quadratic_features(x):
    i, j = torch.triu_indices(x.shape[-1], x.shape[-1], offset=1)
    root = math.sqrt(2)
    return torch.cat([root * x, x**2, root * x[..., i] * x[..., j]], dim=-1)


def feature_dimension(D):
    return D * (D + 3) // 2
