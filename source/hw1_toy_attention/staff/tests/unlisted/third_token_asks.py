"""The last token but one asks: the second of three, and the third of four."""

FAILS = ("easy_task",)
WORDS = {"easy_task": "of 4 tokens"}


def token_logit(tokens, Q, K, w, b):
    z, _ = attend(tokens, tokens[:, -2] @ Q, K)
    return z @ w + b
