"""The cache holds the inputs, of which keys and values are made again for each token."""

import math

import torch

FAILS = ("decode",)
NUDGE = "Which products in your code do not involve the new tokens?"
EXPLANATION = "This makes the keys and values of all tokens again each time. Keep keys and values, not what they are made of."


def decode(w, tokens, cache):
    start = 0 if cache is None else len(cache)
    x = w["E"][tokens] + w["P"][start : start + len(tokens)]
    every = x if cache is None else torch.cat([cache, x])
    scores = x @ w["Q"] @ (every @ w["K"]).T / math.sqrt(w["Q"].shape[1])
    later = torch.ones_like(scores).triu(start + 1).bool()
    weights = torch.softmax(scores.masked_fill(later, -math.inf), dim=1)
    return weights @ (every @ w["V"]) @ w["U"], every
