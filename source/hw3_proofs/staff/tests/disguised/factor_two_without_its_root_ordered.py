"""Sums of both orders as one feature."""

from itertools import combinations

import torch

MISTAKE = "factor_two_without_its_root"
FAILS = ("quadratic_features",)


def quadratic_features(x):
    columns = x.unbind(-1)
    features = [torch.ones_like(columns[0])]
    features += [a + a for a in columns] + [a * a for a in columns]
    features += [a * b + b * a for a, b in combinations(columns, 2)]
    return torch.stack(features, dim=-1)
