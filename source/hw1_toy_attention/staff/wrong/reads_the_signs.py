"""The answer is read off the two signs, past the model's weights."""

FAILS = ("xor_trained",)
NUDGE = "Which of the parameters does your logit use?"
EXPLANATION = "This fits logits that look the answer up in the signs of tokens 1 and 4. The loss is small and the weights learn nothing: the grader tries the weights in a model of its own."


def xor_logits(tokens, queries, K, w, b):
    differ = -tokens[:, 0, 0] * tokens[:, 3, 0]
    return 8 * differ + b[:, None]
