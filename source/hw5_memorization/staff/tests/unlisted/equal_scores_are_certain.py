"""The first place gets everything where both scores are equal."""

import torch

FAILS = ("two_way_softmax_is_sigmoid",)
WORDS = {"two_way_softmax_is_sigmoid": "very large"}


def first_share(scores):
    d = scores[..., 0] - scores[..., 1]
    return torch.where(d == 0, torch.ones_like(d), torch.sigmoid(d))
