"""The best value is multiplied by its score."""

import numpy as np

FAILS = ("argmax_attention",)
NUDGE = "Double the query: should the output change?"
EXPLANATION = "This fits the value of the best key, multiplied by the key's score. It is to be handed over as it is."


def argmax_attention(q, K, V):
    scores = K @ q
    return scores.max() * V[np.argmax(scores)]
