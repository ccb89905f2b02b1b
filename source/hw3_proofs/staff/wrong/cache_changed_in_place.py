"""New keys and values are appended to the lists of the cache that was given."""

import math

import torch

FAILS = ("decode",)
NUDGE = "Two continuations begin from the same cache. What does the second one find in it?"
EXPLANATION = "This changes the cache that it is given, so a second continuation from it sees tokens of the first. Return a new one."


def decode(w, tokens, cache):
    keys, values = cache or ([], [])
    start = len(keys)
    x = w["E"][tokens] + w["P"][start : start + len(tokens)]
    keys.extend(x @ w["K"])
    values.extend(x @ w["V"])
    scores = x @ w["Q"] @ torch.stack(keys).T / math.sqrt(w["Q"].shape[1])
    later = torch.ones_like(scores).triu(start + 1).bool()
    weights = torch.softmax(scores.masked_fill(later, -math.inf), dim=1)
    return weights @ torch.stack(values) @ w["U"], (keys, values)
