"""The diagonal is blocked, too."""

import torch

FAILS = ("causal_mask",)
NUDGE = "May a position look at itself? What is left for the first one?"
EXPLANATION = "This fits a mask that blocks the diagonal, too. Then the first position has nothing to look at, and what comes out is not a number."


def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).triu(0)
