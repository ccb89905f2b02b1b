"""Positions are always trained, as in the source's freezer."""

FAILS = ("freezing",)
NUDGE = "Which weight moves although nobody named it?"
EXPLANATION = "This fits the source's freezer, which has no entry for the positions: W_pos is trained whatever is named."


def train(w, names, contexts, law, steps):
    chosen = [item for name, item in w.items() if name in names or name == "W_pos"]

    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    return minimise(divergence, chosen, steps)
