"""Each step's entry is the mean of all losses so far."""

import numpy as np

FAILS = ("train_heads", "freezing", "uneven")
WORDS = {"train_heads": "last loss is", "freezing": "last loss is", "uneven": "last loss is"}


def train(w, names, contexts, law, steps):
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    losses = np.array(minimise(divergence, [w[name] for name in names], steps))
    return (losses.cumsum() / np.arange(1, steps + 1)).tolist()


def train_uneven(w, contexts, law, chances, steps, skips=()):
    def divergence():
        logs = attention_only(w, contexts, skips).log_softmax(dim=1)
        each = F.kl_div(logs, law, reduction="none").sum(dim=1)
        return (each * chances).sum()

    losses = np.array(minimise(divergence, list(w.values()), steps))
    return (losses.cumsum() / np.arange(1, steps + 1)).tolist()
