"""All values are mixed, with softmax weights."""

import numpy as np

FAILS = ("argmax_attention",)
NUDGE = "How many of the values does your output depend on?"
EXPLANATION = "This fits softmax attention, which mixes all values. Argmax attention hands over one of them, as it is."


def argmax_attention(q, K, V):
    weights = np.exp(K @ q - (K @ q).max())
    return weights / weights.sum() @ V
