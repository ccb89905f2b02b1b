"""The upper triangle of an outer product, as it is."""

import numpy as np
import torch

MISTAKE = "cross_terms_counted_once"
FAILS = ("features_derivation", "quadratic_features")


def features_derivation():
    return [
        ("cross terms", lambda x, y: np.triu(np.outer(x, x) * np.outer(y, y), 1).sum()),
        ("linear terms", lambda x, y: 2 * np.dot(x, y)),
        ("squares", lambda x, y: np.dot(x * x, y * y)),
    ]


def quadratic_features(x):
    upper = torch.ones(x.shape[-1], x.shape[-1]).triu().bool()
    products = (x[..., :, None] * x[..., None, :])[..., upper]
    return torch.cat([products, 2**0.5 * x, x[..., :1] * 0 + 1], dim=-1)
