"""Nothing is trained, or next to nothing: the weights are where they began."""

FAILS = ("train_table", "symmetric_control", "no_mask_control")
NUDGE = "How far do the parameters move? The losses that are returned count for nothing."
EXPLANATION = "This fits a model whose weights are where they began: it was never trained, or with a learning rate that is far too small. The losses that it returns decide nothing: the weights are tried."


def train_table(logits_of, parameters, M, steps):
    return [0.01] * steps
