"""The entropy of the third token when nothing is known: laws are averaged first."""

import torch

FAILS = ("entropy",)
WORDS = {"entropy": "not right"}


def entropy(laws):
    third = torch.einsum("i,ij,ijk->k", *laws)
    return -torch.xlogy(third, third).sum()
