"""Probabilities are compared, not logits."""

import torch

FAILS = ("swap_gap",)
NUDGE = "Is there a softmax in your function?"
EXPLANATION = "This fits the largest difference of the probabilities. The question asks for the logits as they are."


def swap_gap(logits_of, n):
    pairs = all_pairs(n)
    one, other = (torch.softmax(logits_of(p).double(), dim=1) for p in (pairs, pairs.flip(1)))
    return (one - other).abs().max()
