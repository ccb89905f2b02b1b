"""Only the first half of the contexts is trained on."""

FAILS = ("train_heads", "freezing")
NUDGE = "How many of the contexts does one step see?"
EXPLANATION = "This fits training on the first half of the contexts: the others are never learned."


def train(w, names, contexts, law, steps):
    some, theirs = contexts[: len(contexts) // 2], law[: len(law) // 2]

    def divergence():
        return two_losses(attention_only(w, some), theirs, some[:, 0])[0]

    return minimise(divergence, [w[name] for name in names], steps)
