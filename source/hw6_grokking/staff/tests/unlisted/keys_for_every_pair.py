"""One query, and one row through the neurons; but keys and values are made anew for every pair."""

import torch
import torch.nn.functional as F

FAILS = ("fast_cost",)
WORDS = {"fast_cost": "% of the naive form.*a third is allowed"}


def fast_forward(w, pairs):
    x = w["W_E"][sentences(pairs, len(w["W_E"]) - 1)] + w["W_pos"]
    last = x[:, 2]
    query = (w["W_Q"] @ last[0]) / w["W_Q"].shape[1] ** 0.5  # the same for all pairs
    keys, values = (torch.einsum("nsd,hkd->nhsk", x, w[name]) for name in ("W_K", "W_V"))
    shares = (keys * query[:, None]).sum(dim=3).softmax(dim=2)
    mixed = (shares[..., None] * values).sum(dim=2)
    last = last + mixed.flatten(1) @ w["W_O"].mT.flatten(0, 1)
    last = last + F.relu(last @ w["W_in"].T) @ w["W_out"].T
    return last @ w["W_U"].T
