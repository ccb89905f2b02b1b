"""x itself among all ordered products."""

import torch

MISTAKE = "linear_terms_counted_once"
FAILS = ("features_derivation", "quadratic_features")


def features_derivation():
    return [
        ("linear terms", lambda x, y: sum(a * b for a, b in zip(x, y))),
        ("squares", lambda x, y: sum((x * y) ** 2)),
        ("cross terms", lambda x, y: sum(x * y) ** 2 - sum((x * y) ** 2)),
    ]


def quadratic_features(x):
    ordered = (x.unsqueeze(-1) * x.unsqueeze(-2)).flatten(-2)
    return torch.cat([ordered, x, torch.ones_like(x[..., :1])], dim=-1)
