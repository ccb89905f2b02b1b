"""The terms are added up already."""

import torch

FAILS = ("terms",)
WORDS = {"terms": "shape"}


def terms(tokens, q, K, w, b):
    return (torch.exp(tokens @ K @ q) * (tokens @ w + b)).sum(dim=1)
