"""The whole model is trained, whatever is to be left out."""

FAILS = ("uneven",)
WORDS = {"uneven": "Training without the residual stream: the first loss"}


def train_uneven(w, contexts, law, chances, steps, skips=()):
    def divergence():
        logs = attention_only(w, contexts).log_softmax(dim=1)
        each = F.kl_div(logs, law, reduction="none").sum(dim=1)
        return (each * chances).sum()

    return minimise(divergence, list(w.values()), steps)
