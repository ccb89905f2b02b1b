"""The key with the largest product of coordinates, in place of their sum."""

import numpy as np

FAILS = ("argmax_attention",)
WORDS = {"argmax_attention": "the best key"}


def argmax_attention(q, K, V):
    return V[np.argmax((K * q).max(axis=1))]
