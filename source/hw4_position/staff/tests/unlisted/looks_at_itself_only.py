"""Everything but the diagonal is blocked."""

import torch

FAILS = ("causal_mask",)
WORDS = {"causal_mask": "off by up to"}


def causal_mask(T):
    return ~torch.eye(T, dtype=torch.bool)
