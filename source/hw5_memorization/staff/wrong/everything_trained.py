"""Whatever is named, everything is trained."""

FAILS = ("freezing",)
NUDGE = "Which tensors does your optimiser know?"
EXPLANATION = "This fits training that takes no notice of the names: frozen weights move."


def train(w, names, contexts, law, steps):
    def divergence():
        return two_losses(attention_only(w, contexts), law, contexts[:, 0])[0]

    return minimise(divergence, list(w.values()), steps)
