"""Adam with the learning rate 0.001."""

FAILS = ("uneven",)
WORDS = {"uneven": "is left of the divergence"}


def train_uneven(w, contexts, law, chances, steps, skips=()):
    def divergence():
        logs = attention_only(w, contexts, skips).log_softmax(dim=1)
        each = F.kl_div(logs, law, reduction="none").sum(dim=1)
        return (each * chances).sum()

    return minimise(divergence, list(w.values()), steps, rate=1e-3)
