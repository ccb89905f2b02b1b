"""The number of features is looked up."""

import torch

MISTAKE = "random_features_scaled_by_all"
FAILS = ("random_features",)


def random_features(x, W):
    features = torch.cat([torch.cos(x @ W.mT), torch.sin(x @ W.mT)], dim=-1)
    return features / features.shape[-1] ** 0.5
