"""torch.outer, which takes one vector only."""

import torch

FAILS = ("quadratic_features",)
WORDS = {"quadratic_features": r"Right for x of shape \(3,\) .* and in no other"}


def quadratic_features(x):
    z = torch.cat([torch.ones(1, dtype=x.dtype), x])
    return torch.outer(z, z).flatten()
