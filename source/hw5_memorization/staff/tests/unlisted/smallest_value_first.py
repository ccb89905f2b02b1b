"""Singular values begin with the smallest."""

import torch

FAILS = ("attention_maps",)
WORDS = {"attention_maps": "singular values"}


def attention_maps(w):
    first, second = w["W_E"] + w["W_pos"][:, None]
    asked = second @ w["W_Q"].mT @ w["W_K"] / w["W_Q"].shape[1] ** 0.5
    maps = torch.sigmoid(first @ asked.mT - (asked * second).sum(dim=2)[:, None])
    return maps, torch.linalg.svdvals(maps).sort(dim=1).values
