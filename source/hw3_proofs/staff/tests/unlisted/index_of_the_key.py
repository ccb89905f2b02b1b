"""The number of the best key."""

import numpy as np

FAILS = ("argmax_attention",)
WORDS = {"argmax_attention": r"should have shape \(2,\)"}


def argmax_attention(q, K, V):
    return np.argmax(K @ q)
