"""Where some weight is frozen, W_pos is, too."""

FAILS = ("freezing",)
WORDS = {"freezing": "W_pos has not moved"}


def train(w, names, contexts, law, steps):
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    chosen = names if len(names) == len(w) else [name for name in names if name != "W_pos"]
    return minimise(divergence, [w[name] for name in chosen], steps)
