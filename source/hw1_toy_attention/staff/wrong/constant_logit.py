"""The logit is the same number for every sentence."""

FAILS = ("easy_task",)
NUDGE = "Does your logit depend on the sentence?"
EXPLANATION = "This fits a logit that is only the bias: nothing of the sentence is in it, and training can learn a constant at most."


def token_logit(tokens, Q, K, w, b):
    return b.expand(len(tokens))
