"""Scores are not divided by anything."""

FAILS = ("naive_forward", "fast_forward", "fast_cost", "one_epoch", "log_reproduction", "groks")
NUDGE = "What is a score, beside the product of a query and a key?"
EXPLANATION = "This fits scores that are not divided by the square root of a head's width."
EDITS = {
    " / math.sqrt(q.shape[-1])": "",
    ' / math.sqrt(w["W_Q"].shape[1])': "",
}
