"""All contexts that can come count the same."""

import torch

FAILS = ("entropy",)
WORDS = {"entropy": "not right"}


def entropy(laws):
    p = ((laws[0][:, None] * laws[1]) > 0).double()
    return -(p / p.sum() * torch.xlogy(laws[2], laws[2]).sum(-1)).sum()
