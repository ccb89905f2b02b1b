"""The answer is read off the first token, past attention."""

FAILS = ("easy_task",)
NUDGE = "Which of the parameters does your logit use, and which tokens?"
EXPLANATION = "This fits a logit that looks the answer up in the first token. The loss is small and the weights learn nothing: the grader tries the weights in a model of its own."


def token_logit(tokens, Q, K, w, b):
    return 8 * tokens[:, 0, 0] + b
