"""A list that outlives each training collects the losses of all."""

FAILS = ("train_heads", "freezing", "uneven")
WORDS = {
    "train_heads": "one a step; yours has",
    "freezing": "one a step; yours has",
    "uneven": "one a step; yours has",
}


def train(w, names, contexts, law, steps, every=[]):  # noqa: B006
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    every.extend(minimise(divergence, [w[name] for name in names], steps))
    return every


def train_uneven(w, contexts, law, chances, steps, skips=(), every=[]):  # noqa: B006
    def divergence():
        logs = attention_only(w, contexts, skips).log_softmax(dim=1)
        each = F.kl_div(logs, law, reduction="none").sum(dim=1)
        return (each * chances).sum()

    every.extend(minimise(divergence, list(w.values()), steps))
    return every
