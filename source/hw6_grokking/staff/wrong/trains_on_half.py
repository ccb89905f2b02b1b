"""Only the first half of the pairs is trained on."""

FAILS = ("one_epoch", "log_reproduction", "groks")
NUDGE = "How many of the pairs does one epoch see?"
EXPLANATION = "This fits training on half of the pairs that are given: the loss on the other half never falls as it should."
EDITS = {
    "loss = loss_of(fast_forward(w, pairs), pairs)": """some = pairs[: len(pairs) // 2]
    loss = loss_of(fast_forward(w, some), some)"""
}
