"""Only pairs of neighbouring tokens are turned round."""

import torch

FAILS = ("swap_gap",)
NUDGE = "How many pairs of n tokens does your function look at?"
EXPLANATION = "This fits a comparison of the pairs (i, i + 1) with (i + 1, i) only."


def swap_gap(logits_of, n):
    i = torch.arange(n - 1)
    pairs = torch.stack([i, i + 1], dim=1)
    return (logits_of(pairs) - logits_of(pairs.flip(1))).abs().max()
