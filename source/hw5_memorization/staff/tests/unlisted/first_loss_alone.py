"""One loss is returned: none of its own, or the first."""

FAILS = ("train_heads", "freezing", "uneven")
WORDS = {
    "train_heads": "one a step; yours has 1",
    "freezing": "one a step; yours has 1",
    "uneven": "one a step; yours has 1",
}


def train(w, names, contexts, law, steps):
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    minimise(divergence, [w[name] for name in names], steps)
    return [0.0]


def train_uneven(w, contexts, law, chances, steps, skips=()):
    def divergence():
        logs = attention_only(w, contexts, skips).log_softmax(dim=1)
        each = F.kl_div(logs, law, reduction="none").sum(dim=1)
        return (each * chances).sum()

    return minimise(divergence, list(w.values()), steps)[:1]
