"""The bias is left out of the terms."""

import torch

FAILS = ("terms",)
NUDGE = "What becomes of beta when both sides are multiplied by the denominator?"
EXPLANATION = "This fits terms without beta. Multiplied by the denominator, beta becomes a sum, too: each token takes e^s beta of it."


def terms(tokens, q, K, w, b):
    return torch.exp(tokens @ K @ q) * (tokens @ w)
