"""Features carry the factor 2 of their term, not its root, so that the product carries 4."""

import torch

FAILS = ("quadratic_features",)
NUDGE = "A feature meets itself in the product phi(x).phi(y). What becomes of its factor?"
EXPLANATION = "This fits features with the factor 2 of their term. The factor is in phi(x) and in phi(y), so it is squared in the product."


def quadratic_features(x):
    i, j = torch.triu_indices(x.shape[-1], x.shape[-1], offset=1)
    one = torch.ones_like(x[..., :1])
    return torch.cat([one, 2 * x, x**2, 2 * x[..., i] * x[..., j]], dim=-1)
