"""The law is kept beside the model, and read in place of it."""

FAILS = ("train_heads", "freezing")
NUDGE = "Where is the law after your training, in the weights or somewhere else?"
EXPLANATION = "This fits an answer that keeps the law beside the model and looks it up, so that the loss is small and the weights learn nothing. The grader tries the weights in a model of its own."


def train(w, names, contexts, law, steps):
    known = 9 * law

    def divergence():
        faint = 1e-4 * attention_only(w, contexts).mean(dim=0)
        return two_losses(faint + known, law, contexts[:, 0])[0]

    return minimise(divergence, [w[name] for name in names], steps, rate=1e-4)
