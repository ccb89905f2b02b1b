"""A stack that is divided by its length."""

import torch

MISTAKE = "random_features_scaled_twice"
FAILS = ("random_features",)


def random_features(x, W):
    waves = [f((x * w).sum(-1)) for w in W for f in (torch.sin, torch.cos)]
    return torch.stack(waves, dim=-1) / W.size(0)
