"""Each of the stacked models gives its bias, whatever the sentence."""

FAILS = ("xor_trained",)
NUDGE = "Do your logits depend on the sentences?"
EXPLANATION = "This fits logits that are only the biases: nothing of the sentences is in them, and training can learn constants at most."


def xor_logits(tokens, queries, K, w, b):
    return b[:, None].expand(-1, len(tokens))
