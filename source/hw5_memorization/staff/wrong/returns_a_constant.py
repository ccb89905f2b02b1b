"""Nothing is trained: small losses are returned."""

FAILS = ("train_heads", "freezing")
NUDGE = "How far do the named weights move? The returned losses alone earn nothing."
EXPLANATION = "This fits weights that stay where they began. The grader tries the weights, whatever losses `train` returns."


def train(w, names, contexts, law, steps):
    return [0.01] * steps
