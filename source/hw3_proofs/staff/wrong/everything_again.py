"""The cache holds all tokens, and the layer computes them all again."""

import torch

FAILS = ("decode",)
NUDGE = "What changes in the keys and values of the earlier tokens when a new one comes?"
EXPLANATION = "This computes the whole text again for each new token. The keys and values of the earlier tokens are what they were: keep them."


def decode(w, tokens, cache):
    every = tokens if cache is None else torch.cat([cache, tokens])
    return forward(w, every)[-len(tokens) :], every
