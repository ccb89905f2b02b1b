"""The loss is noted before the loop, and returned for every step."""

FAILS = ("train_heads", "freezing", "uneven")
WORDS = {"train_heads": "last loss is", "freezing": "last loss is", "uneven": "last loss is"}


def train(w, names, contexts, law, steps):
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    return minimise(divergence, [w[name] for name in names], steps)[:1] * steps


def train_uneven(w, contexts, law, chances, steps, skips=()):
    def divergence():
        logs = attention_only(w, contexts, skips).log_softmax(dim=1)
        each = F.kl_div(logs, law, reduction="none").sum(dim=1)
        return (each * chances).sum()

    return minimise(divergence, list(w.values()), steps)[:1] * steps
