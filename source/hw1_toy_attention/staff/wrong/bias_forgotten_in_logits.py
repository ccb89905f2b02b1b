"""The logits have no bias."""

FAILS = ("easy_task", "xor_trained")
NUDGE = "Which of the parameters does your logit not use?"
EXPLANATION = "This fits logits without their bias: w . z is there, and beta is not."
EDITS = {
    "tokens[:, 1] @ Q, K)\n    return z @ w + b": "tokens[:, 1] @ Q, K)\n    return z @ w",
    "weights, tokens, w) + b[:, None]": "weights, tokens, w)",
}
