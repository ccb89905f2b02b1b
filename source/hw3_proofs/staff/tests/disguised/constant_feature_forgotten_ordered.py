"""All products in both orders and the coordinates, and nothing that is constant."""

import torch

MISTAKE = "constant_feature_forgotten"
FAILS = ("quadratic_features", "feature_dimension")


def quadratic_features(x):
    ordered = (x.unsqueeze(-1) * x.unsqueeze(-2)).flatten(-2)
    return torch.cat([ordered, 2**0.5 * x], dim=-1)


def feature_dimension(D):
    return D + D * (D + 1) / 2
