"""W_pos is left alone, whatever is named."""

FAILS = ("train_heads", "freezing", "uneven")
WORDS = {
    "train_heads": "W_pos has not moved",
    "freezing": "W_pos has not moved",
    "uneven": "W_pos has not moved",
}


def train(w, names, contexts, law, steps):
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    return minimise(divergence, [w[name] for name in names if name != "W_pos"], steps)


def train_uneven(w, contexts, law, chances, steps, skips=()):
    def divergence():
        logs = attention_only(w, contexts, skips).log_softmax(dim=1)
        each = F.kl_div(logs, law, reduction="none").sum(dim=1)
        return (each * chances).sum()

    return minimise(divergence, [w[name] for name in w if name != "W_pos"], steps)
