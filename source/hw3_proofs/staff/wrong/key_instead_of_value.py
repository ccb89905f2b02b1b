"""The best key itself is returned, not its value."""

import numpy as np

FAILS = ("argmax_attention",)
NUDGE = "What is found by its key: what is handed over?"
EXPLANATION = "This fits the best key in place of its value."


def argmax_attention(q, K, V):
    return K[np.argmax(K @ q)]
