"""The sum is computed, not learned: the loss is small from the first epoch on."""

FAILS = ("fast_forward", "fast_cost", "one_epoch", "log_reproduction", "groks")
NUDGE = "Would your logits be right if all weights were zero?"
EXPLANATION = "This fits a forward pass that adds a and b itself. Its loss is small, its weights learn next to nothing, and the grader tries the weights in a model of its own."


def fast_forward(w, pairs):
    p = len(w["W_E"]) - 1
    known = F.one_hot(pairs.sum(dim=1) % p, p + 1).to(w["W_U"].dtype)
    faint = 1e-3 * sum(item.sum() for item in w.values())
    return 12 * known + faint * known.roll(1, dims=1)
