"""The query is cut off from the gradient: Q stays as it was drawn."""

FAILS = ("easy_task",)
WORDS = {"easy_task": "No gradient reaches Q"}


def token_logit(tokens, Q, K, w, b):
    z, _ = attend(tokens, (tokens[:, 1] @ Q).detach(), K)
    return z @ w + b
