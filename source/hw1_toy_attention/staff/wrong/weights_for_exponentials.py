"""A softmax stands where the exponential should: a term then depends on the other tokens."""

import torch

FAILS = ("terms",)
NUDGE = "Change the last token of a sentence: which of your terms should change?"
EXPLANATION = "This fits softmax weights times w . x + b: their denominator holds the other tokens. Multiplied by it, only the exponential is left."


def terms(tokens, q, K, w, b):
    return torch.softmax(tokens @ K @ q, dim=1) * (tokens @ w + b)
