"""A head promotes what is above its median."""

import torch

FAILS = ("promoted",)
WORDS = {"promoted": "parts with means far from zero"}


def promoted(parts, tokens):
    N = parts.shape[2]
    table = torch.zeros(N, N, dtype=torch.bool)
    for token in tokens.unique():
        mean = parts[tokens == token].mean(dim=0)
        table[token] = (mean > mean.median(dim=1, keepdim=True).values).all(dim=0)
    return table
