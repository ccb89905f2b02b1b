"""The largest difference with its sign, of the pairs with the smaller token first only."""

import torch

FAILS = ("swap_gap",)
WORDS = {"swap_gap": "not right"}


def swap_gap(logits_of, n):
    pairs = torch.combinations(torch.arange(n), 2)
    return (logits_of(pairs) - logits_of(pairs.flip(1))).max()
