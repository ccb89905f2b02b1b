"""Only the first three tokens are read, whatever the number of tokens."""

FAILS = ("easy_task",)
WORDS = {"easy_task": "of 4 tokens"}


def token_logit(tokens, Q, K, w, b):
    z, _ = attend(tokens[:, :3], tokens[:, 1] @ Q, K)
    return z @ w + b
