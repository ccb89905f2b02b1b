"""As true_where_allowed, by comparing places."""

import torch

MISTAKE = "true_where_allowed"
FAILS = ("causal_mask",)


def causal_mask(T):
    place = torch.arange(T)
    return place[:, None] >= place[None, :]
