"""Both functions train, and return nothing."""

FAILS = ("train_heads", "freezing", "uneven")
NUDGE = "What do your two functions return?"
EXPLANATION = "This fits correct training whose losses are not returned."


def train(w, names, contexts, law, steps):
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    minimise(divergence, [w[name] for name in names], steps)


def train_uneven(w, contexts, law, chances, steps, skips=()):
    def divergence():
        logs = attention_only(w, contexts, skips).log_softmax(dim=1)
        each = F.kl_div(logs, law, reduction="none").sum(dim=1)
        return (each * chances).sum()

    minimise(divergence, list(w.values()), steps)
