"""Nothing is trained: a small loss is returned."""

FAILS = ("one_epoch", "log_reproduction", "groks")
NUDGE = "How far do the weights move in an epoch? The loss that is returned counts for nothing."
EXPLANATION = "This fits weights that stay where they began. What one_epoch returns decides nothing: the grader computes the loss from the weights."


def one_epoch(w, optimizer, pairs):
    return 1e-3
