"""The nearest key, by distance."""

import numpy as np

FAILS = ("argmax_attention",)
WORDS = {"argmax_attention": "another key than the one with the largest score"}


def argmax_attention(q, K, V):
    return V[np.argmin(((K - q) ** 2).sum(axis=1))]
