"""Nothing is trained: small losses are returned."""

FAILS = ("train_heads", "freezing")
NUDGE = "How far do the named weights move? The losses that are returned count for nothing."
EXPLANATION = "This fits weights that stay where they began. What train returns decides nothing: the weights are tried."


def train(w, names, contexts, law, steps):
    return [0.01] * steps
