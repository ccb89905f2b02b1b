"""Both losses are computed outside torch."""

import numpy as np

FAILS = ("two_losses", "train_heads", "freezing")
WORDS = {"two_losses": "requires grad"}


def two_losses(logits, law, tokens):
    moved = np.asarray(logits) - np.asarray(logits).max(axis=1, keepdims=True)
    logs = moved - np.log(np.exp(moved).sum(axis=1, keepdims=True))
    law = np.asarray(law)
    each = np.where(law > 0, law * (np.log(np.where(law > 0, law, 1)) - logs), 0)
    return each.sum(axis=1).mean(), -logs[np.arange(len(law)), np.asarray(tokens)].mean()
