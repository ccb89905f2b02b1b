"""What was fed is kept in a global list, and the cache says nothing."""

import math

import torch

FAILS = ("decode",)
NUDGE = "Two continuations begin from the same cache. Where does yours keep what came before?"
EXPLANATION = "This keeps keys and values in a global variable. A second continuation from an earlier cache sees tokens of the first: keep all in the cache."


def decode(w, tokens, cache):
    kept = vars(math).setdefault("kept", [])  # any module will do
    if cache is None:
        kept.clear()
    start = len(kept[0]) if kept else 0
    x = w["E"][tokens] + w["P"][start : start + len(tokens)]
    new = x @ w["K"], x @ w["V"]
    K, V = (torch.cat([*pair]) for pair in zip(kept, new)) if kept else new
    kept[:] = K, V
    scores = x @ w["Q"] @ K.T / math.sqrt(K.shape[1])
    later = torch.ones_like(scores).triu(start + 1).bool()
    weights = torch.softmax(scores.masked_fill(later, -math.inf), dim=1)
    return weights @ V @ w["U"], len(K)
