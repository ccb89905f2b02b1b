"""The mean over the sentences in place of the largest."""

FAILS = ("oddness",)
WORDS = {"oddness": "oddness"}


def oddness(logit, tokens, b):
    return (logit(tokens) + logit(-tokens) - 2 * b).abs().mean()
