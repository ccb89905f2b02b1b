"""Nothing is trained: the losses are made up."""

FAILS = ("train_table", "symmetric_control", "no_mask_control")
NUDGE = "Do the parameters change? The losses that are returned count for nothing."
EXPLANATION = "This fits a model that was never trained. What is returned as its losses decides nothing: the weights are tried."


def train_table(logits_of, parameters, M, steps):
    return [0.01] * steps
