"""What the heads write is averaged, not added up."""

import math

import torch
import torch.nn.functional as F

FAILS = ("naive_forward",)
WORDS = {"naive_forward": "off by up to"}


def naive_forward(w, pairs):
    x = w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]
    q, k, v = (x[:, None] @ w[name].mT for name in ("W_Q", "W_K", "W_V"))
    future = torch.ones(3, 3, dtype=torch.bool).triu(1)
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(future, -math.inf)
    x = x + (scores.softmax(dim=-1) @ v @ w["W_O"].mT).mean(dim=1)
    x = x + F.relu(x @ w["W_in"].T) @ w["W_out"].T
    return x @ w["W_U"].T
