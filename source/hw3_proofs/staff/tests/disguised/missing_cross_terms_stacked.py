"""Three features a coordinate, and 1 shared among them."""

import math

import torch

MISTAKE = "missing_cross_terms"
FAILS = ("quadratic_features", "feature_dimension")


def quadratic_features(x):
    features = [torch.ones(x.shape[:-1], dtype=x.dtype)]
    for i in range(x.shape[-1]):
        features += [x[..., i] * x[..., i], x[..., i] * math.sqrt(2)]
    return torch.stack(features, dim=-1)


def feature_dimension(D):
    return len([1] + [2] * D + [3] * D)
