"""The last key is left out of the search."""

import numpy as np

FAILS = ("argmax_attention",)
WORDS = {"argmax_attention": "the best key last"}


def argmax_attention(q, K, V):
    return V[np.argmax((K @ q)[: max(1, len(K) - 1)])]
